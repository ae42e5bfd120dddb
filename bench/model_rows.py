# SPDX-License-Identifier: Apache-2.0
"""Losses, gated activations, masked softmax, matrix products and convolutions, also in shapes from models; and operands in other layouts."""
import functools

import portacl
import torch

from row import Operand, add, aten, attributes, formula, given, into, matrix, onednn

FLOATS = ("FLOAT", "BFLOAT16")    # dtypes of rows with shapes from models


def logit_gradient(o, x, dy):
    return aten.logit_backward.grad_input(dy, x, None, grad_input=o)


def exact_logit_gradient(x, dy):
    return dy / (x * (1 - x))


def losses():
    row = functools.partial(formula, "loss")
    for kind, rest in (("share", {}), ("tiny", {"label": "tiny", "dtypes": FLOATS})):
        row("Logit", kind, "logit", (-1.0,), (None,), **rest)
    for kind, rest in (("normal", {}), ("tiny", {"label": "tiny", "dtypes": FLOATS})):
        add("loss", "LogitGrad", ("share", kind), attributes(-1.0), logit_gradient, exact=exact_logit_gradient, **rest)
    row("SmoothL1LossBackward", "normal, normal, normal", "aten.smooth_l1_loss_backward", (0, 1.0))
    row("SmoothL1Loss", "normal, normal", "aten.smooth_l1_loss.out", (0, 1.0), label="no reduction")
    # Given an output, PyTorch's mean resizes it.
    add("loss", "SmoothL1Loss", ("normal", "normal"), attributes(1, 1.0), lambda o, x, y: aten.smooth_l1_loss(x, y, 1, 1.0))
    row("MseLoss", "normal, normal", "aten.mse_loss.out", (0,), label="no reduction")
    add("loss", "MseLoss", ("normal", "normal"), attributes(1), lambda o, x, y: aten.mse_loss(x, y, 1))
    row("MseLossBackward", "normal, normal, normal", "aten.mse_loss_backward", (0,), label="no reduction")
    # PyTorch composes the loss of distances, and its gradient, of other functions.
    add("loss", "L1Loss", ("normal", "normal"), attributes(0), lambda o, x, y: torch.sub(x, y, out=o).abs_(), label="no reduction")
    add("loss", "L1Loss", ("normal", "normal"), attributes(1), lambda o, x, y: aten.l1_loss(x, y, 1))
    add("loss", "L1LossBackward", ("normal", "normal", "normal"), attributes(0), lambda o, g, x, y: torch.sub(x, y, out=o).sign_().mul_(g),
        label="no reduction")
    scalar = Operand("normal", given(1))
    add("loss", "MseLossBackward", (scalar, "normal", "normal"), attributes(1),
        lambda o, g, x, y: aten.mse_loss_backward.grad_input(g, x, y, 1, grad_input=o))
    add("loss", "L1LossBackward", (scalar, "normal", "normal"), attributes(1), lambda o, g, x, y: torch.sub(x, y, out=o).sign_().mul_(g / x.numel()))


def labels(classes):
    return lambda n: torch.randint(0, classes, (n,))


def nll():
    """A vocabulary of a language model, and the pixels of images."""
    shapes = (("vocabulary", "NLLLoss", "nll_loss", (4096, 32000), (4096,)), ("pixels", "NLLLoss2d", "nll_loss2d", (4, 21, 256, 256), (4, 256, 256)))
    for label, operator, name, scores, target in shapes:
        forward, backward = getattr(aten, name + "_forward"), getattr(aten, name + "_backward")
        batch = (Operand("log probability", given(*scores)), Operand(labels(scores[1]), given(*target)), Operand("share", given(scores[1])))
        add("loss", operator, batch, attributes(1, -100),
            lambda o, x, t, w, f=forward: f.output(x, t, w, 1, -100, output=o[0], total_weight=o[1]), label=label, dtypes=FLOATS)
        one = Operand("positive", given(1))
        add("loss", operator + "Backward", (one, *batch, one), lambda g, x, t, w, total: (g, x, t, w, 1, -100, total),
            lambda o, g, x, t, w, total, f=backward: f.grad_input(g.reshape(()), x, t, w, 1, -100, total.reshape(()), grad_input=o), label=label,
            dtypes=FLOATS)


def lengths(log_probs, targets):
    """Every sample is as long as the batch."""
    return [log_probs.shape[0]] * log_probs.shape[1], [targets.shape[1]] * targets.shape[0]


def ctc_gradient(grad, log_probs, targets, loss, alpha):
    return aten._ctc_loss_backward(grad, log_probs, targets, *lengths(log_probs, targets), loss, alpha, 0, False)


def exact_ctc_gradient(grad, log_probs, targets, *_):
    return ctc_gradient(grad, log_probs, targets, *torch._ctc_loss(log_probs, targets, *lengths(log_probs, targets), 0, False))


def terms_of_ctc_gradient(grad, log_probs, targets, *_):
    """The gradient is the difference of a probability and a posterior: returns the larger of both."""
    probability = grad[None, :, None] * log_probs.exp()
    return torch.maximum(probability, probability - exact_ctc_gradient(grad, log_probs, targets))


def ctc():
    """Speech and handwriting recognition: few classes for characters, many for pieces of words."""
    for steps, samples, classes, labels in ((50, 16, 20, 10), (150, 32, 29, 30), (500, 16, 32, 100), (200, 64, 1000, 40), (1000, 8, 5000, 150),
                                            (1600, 4, 64, 400)):
        rest = {"label": f"T{steps} N{samples} C{classes} S{labels}", "dtypes": ("FLOAT",)}
        batch = (Operand("log probability", given(steps, samples, classes)),
                 Operand(lambda n, c=classes: torch.randint(1, c, (n,)), given(samples, labels)))
        add("loss", "CtcLoss", batch, lambda x, t: (x, t, *lengths(x, t), 0, False),
            lambda o, x, t: aten._ctc_loss.out(x, t, *lengths(x, t), 0, False, out0=o[0], out1=o[1]), **rest)
        add("loss", "CtcLossBackward", (Operand("near one", given(samples)), *batch),
            lambda g, x, t, loss, alpha: (g, x, t, *lengths(x, t), loss, alpha, 0, False),
            lambda o, g, x, t, loss, alpha: aten._ctc_loss_backward.out(g, x, t, *lengths(x, t), loss, alpha, 0, False, out=o),
            completed=lambda g, x, t: tuple(portacl.run("aclnnCtcLoss", x, t, *lengths(x, t), 0, False)),
            exact=exact_ctc_gradient, terms=terms_of_ctc_gradient, **rest)


def swi_glu(axis):
    def call(o, x):
        a, b = x.chunk(2, axis)
        aten.silu.out(a, out=o)
        return torch.mul(o, b, out=o)
    return call


def swi_glu_gradient(axis):
    def call(o, g, x):
        (a, b), (to_a, to_b) = x.chunk(2, axis), o.chunk(2, axis)
        torch.mul(g, b, out=to_b)
        aten.silu_backward.grad_input(to_b, a, grad_input=to_a)
        aten.silu.out(a, out=to_b)
        torch.mul(to_b, g, out=to_b)
        return o
    return call


def terms_of_swi_glu_gradient(axis):
    def terms(g, x):
        a, b = x.chunk(2, axis)
        q = torch.sigmoid(a)
        return torch.cat(((g * b * q).abs(), (g * a * q).abs()), axis)
    return terms


def gated():
    """Along one axis both halves are contiguous. The shapes are those of a language model of 7 billion weights."""
    for label, axis, shape, half in (("", 0, lambda n: (n,), lambda n: (n // 2,)),
                                     ("4096 x 22016, last axis", 1, given(4096, 22016), given(4096, 11008)),
                                     ("4096 x 22016, first axis", 0, given(4096, 22016), given(2048, 22016))):
        rest = {"vanishing": True, **({"label": label, "dtypes": FLOATS} if label else {})}
        add("activation", "SwiGlu", (Operand("normal", shape),), attributes(axis), swi_glu(axis), **rest)
        add("activation", "SwiGluGrad", (Operand("normal", half), Operand("normal", shape)), attributes(axis), swi_glu_gradient(axis),
            terms=terms_of_swi_glu_gradient(axis), **rest)
    add("activation", "SwiGlu", (Operand("shut", lambda n: (n,)),), attributes(0), swi_glu(0), label="gates shut", vanishing=True)


def onednn_softmax(o, x, *_):
    """oneDNN's softmax supports neither masks nor scales."""
    return dict(onednn(lambda t: torch.softmax(t, -1)))["oneDNN"](o, x)


def masked_softmax(scale):
    def call(o, x, mask):
        torch.mul(x, scale, out=o).masked_fill_(mask, -10000.0)
        return aten._softmax.out(o, -1, False, out=o)
    return call


def masked_softmax_gradient(o, g, y, mask):
    return aten._softmax_backward_data.out(g, y, -1, o.dtype, grad_input=o).mul_(0.5).masked_fill_(mask, 0)


def masked():
    def rows(n):
        return (1, 1, n // 512, 512)
    add("softmax", "ScaledMaskedSoftmax", ("normal", "mask"), attributes(0.5, False), masked_softmax(0.5), shape=rows, vanishing=True)
    add("softmax", "ScaledMaskedSoftmax", ("peaked", "mask"), attributes(0.5, False), masked_softmax(0.5), shape=rows, vanishing=True, label="peaked")
    add("softmax", "ScaledMaskedSoftmax", ("normal", "nowhere"), attributes(1.0, False), masked_softmax(1.0), shape=rows, vanishing=True,
        label="nothing masked", peers=(("oneDNN", onednn_softmax),))
    add("softmax", "ScaledMaskedSoftmaxBackward", ("normal", "probability", "mask"), attributes(0.5, False), masked_softmax_gradient, shape=rows,
        terms=lambda g, y, mask: 0.5 * y * (g.abs() + (g * y).abs().sum(-1, keepdim=True)))
    for length in (64, 512, 2048):    # 16 heads share a mask
        count = (1 << 15) // length
        add("softmax", "ScaledMaskedSoftmax", (Operand("normal", given(1, 16, count, length)), Operand("nowhere", given(1, 1, count, length))),
            attributes(1.0, False), masked_softmax(1.0), vanishing=True, label=f"16 heads, rows of {length}", dtypes=FLOATS,
            peers=(("oneDNN", onednn_softmax),))


def onednn_product(o, a, b):
    """For 16-bit dtypes PyTorch already uses oneDNN 3; for FLOAT it uses MKL."""
    if a.dtype == torch.float32 and a.dim() == 2:
        return lambda: torch.ops.mkldnn._linear_pointwise(a, b.t(), None, "none", [], "")
    return None


def product(operator, call, m, k, n, batch=(), layout="contiguous"):
    """PyTorch takes minutes for FLOAT16 if the second factor is not transposed, 50 to 250 times as long as ours."""
    label = (f"{batch[0]} of " if batch else "") + f"{m} x {k} by {k} x {n}" + (", transposed" if layout == "transposed" else "")
    keeps_float = 1    # cubeMathType
    add("product", operator, (Operand("normal", given(*batch, m, k)), Operand("normal", given(*batch, k, n), layout)),
        lambda a, b: (a, b, keeps_float, {"out": a.new_empty(*batch, m, n)}), into(call), terms=lambda a, b: a.abs() @ b.abs(), label=label,
        dtypes=(*FLOATS, "FLOAT16") if layout == "transposed" else FLOATS, peers=(("oneDNN", onednn_product),))


def products():
    for m in (1, 4, 32, 64, 512):
        product("Mm", torch.mm, m, 4096, 4096, layout="transposed")
    for m, k, n in ((32, 4096, 4096), (512, 4096, 4096), (512, 512, 512)):
        product("Mm", torch.mm, m, k, n)
    for m, k, n in ((128, 64, 128), (512, 64, 512), (512, 512, 64)):
        product("BatchMatMul", torch.bmm, m, k, n, batch=(32,))


def convolution(batch, channels, size, outputs, window, stride=1, groups=1):
    """PyTorch only returns the result, which oneDNN computes."""
    numbers = [stride, stride], [window // 2, window // 2], [1, 1]
    results = (size + stride - 1) // stride

    def call(o, x, w, b):
        return torch.conv2d(x, w, b, *numbers, groups)
    add("convolution", "Convolution", (Operand("normal", given(batch, channels, size, size)),
                                       Operand("normal", given(outputs, channels // groups, window, window)), Operand("normal", given(outputs))),
        lambda x, w, b: (x, w, b, *numbers, False, [0, 0], groups, 0, {"output": x.new_empty(batch, outputs, results, results)}), call,
        terms=lambda x, w, b: call(None, x.abs(), w.abs(), b.abs()), dtypes=FLOATS,
        label=f"{batch} x {channels} x {size} x {size} to {outputs} by {window} x {window}" + f", stride {stride}" * (stride > 1)
        + f", {groups} groups" * (groups > 1))


def convolutions():
    """Layers of image networks: the first, two of a block, and a depthwise one."""
    convolution(4, 3, 224, 64, 7, stride=2)
    convolution(4, 64, 56, 64, 3)
    convolution(4, 256, 56, 64, 1)
    convolution(4, 96, 56, 96, 3, groups=96)


def alike(x):
    """An output with the layout of x."""
    return {"out": torch.empty_strided(x.size(), x.stride(), dtype=x.dtype)}


def layouts():
    """Compared with the contiguous rows of the same operators, these show the cost of a layout."""
    for label, layout, rest in (("first operand transposed", "transposed", "contiguous"), ("transposed", "transposed", "transposed"),
                                ("every second row", "every second row", "every second row"), ("stride 3", "stride 3", "stride 3")):
        def operands(*kinds):
            return tuple(Operand(kind, matrix, rest if place else layout) for place, kind in enumerate(kinds))
        add("layout", "LogitGrad", operands("share", "normal"), lambda x, dy: (x, dy, -1.0, alike(dy)), logit_gradient, exact=exact_logit_gradient,
            label=label)
        add("layout", "Add", operands("normal", "normal"), lambda x, y: (x, y, 1.0, alike(y)), into(torch.add),
            terms=lambda x, y: torch.maximum(x.abs(), y.abs()), label=label)


def models():
    for make in (losses, nll, ctc, gated, masked, products, convolutions, layouts):
        make()
