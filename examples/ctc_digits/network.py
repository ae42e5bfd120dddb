# SPDX-License-Identifier: Apache-2.0
"""The network, in one version for all devices. Only `Operators` depends on the device: torch_npu has SwiGLU and the masked softmax as single
operators, and on the CPU they are composed of PyTorch's operators."""

import torch
import torch.nn.functional as F
from torch import nn

from lines import BLANK, CLASSES, COLUMNS_PER_STEP, HEIGHT

HEADS = 4
WINDOW = 4  # the number of steps on either side that a step attends to
FEATURES = 64
LOGIT_EPS = 1e-3


class Operators:
    """SwiGLU and the masked softmax for one device."""

    def __init__(self, device):
        if device == "npu":
            import torch_npu

            self.swiglu = torch_npu.npu_swiglu
            self.masked_softmax = torch_npu.npu_scaled_masked_softmax

    @staticmethod
    def swiglu(x, dim):
        a, b = x.chunk(2, dim)
        return F.silu(a) * b

    @staticmethod
    def masked_softmax(x, mask, scale):
        return (x * scale).masked_fill(mask, -10000.0).softmax(-1)


class Network(nn.Module):
    """Two convolutions, another one that combines two columns into a step, attention to nearby steps, and three heads."""

    def __init__(self, operators):
        super().__init__()
        self.operators = operators
        self.first = nn.Conv2d(1, 32, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.steps = nn.Conv2d(16, 2 * FEATURES, (HEIGHT, 6), stride=(1, COLUMNS_PER_STEP), padding=(0, 2))
        self.attention = nn.Linear(FEATURES, 3 * FEATURES)
        self.joined = nn.Linear(FEATURES, FEATURES)
        self.mixed = nn.Linear(FEATURES, 4 * FEATURES)
        self.narrowed = nn.Linear(2 * FEATURES, FEATURES)
        self.classes = nn.Linear(FEATURES, CLASSES)
        self.offset = nn.Linear(FEATURES, 1)
        self.pixels = nn.Linear(FEATURES, HEIGHT)

    def forward(self, images, is_empty):
        """images [N, 1, HEIGHT, WIDTH], is_empty [N, STEPS] -> class scores, offsets and shares of ink, each with one row for each step."""
        swiglu = self.operators.swiglu
        x = swiglu(self.first(images), 1)
        x = swiglu(self.second(x), 1)
        x = swiglu(self.steps(x), 1).squeeze(2).transpose(1, 2)
        x = x + self.joined(self.attend(x, is_empty))
        x = x + self.narrowed(swiglu(self.mixed(x), -1))
        ink = self.pixels(x).sigmoid().mean(-1)
        return self.classes(x), self.offset(x).squeeze(-1), ink

    def attend(self, x, is_empty):
        """Each step attends to the nearby steps that are not empty."""
        lines, steps, features = x.shape
        q, k, v = self.attention(x).view(lines, steps, 3, HEADS, features // HEADS).permute(2, 0, 3, 1, 4)
        place = torch.arange(steps)
        is_far = ((place[:, None] - place).abs() > WINDOW).to(x.device)
        mask = is_far | is_empty[:, None, None, :]
        weights = self.operators.masked_softmax(q @ k.transpose(2, 3), mask, (features // HEADS) ** -0.5)
        return (weights @ v).transpose(1, 2).reshape(lines, steps, features)


def losses(network, batch, device):
    """The sum of CTC of the digits, smooth L1 of the offsets, and smooth L1 between the logits of the shares of ink."""
    images, labels, is_empty, offsets, ink = (
        torch.from_numpy(array).to(device) for array in (batch.images, batch.labels, batch.is_empty, batch.offsets, batch.ink)
    )
    scores, found_offsets, found_ink = network(images, is_empty)
    log_probs = scores.log_softmax(-1).transpose(0, 1)
    step_counts, label_counts = torch.from_numpy(batch.step_counts), torch.from_numpy(batch.label_counts)
    ctc = F.ctc_loss(log_probs, labels, step_counts, label_counts, blank=BLANK, reduction="mean")
    is_full = 1 - is_empty.to(torch.float32)
    place = F.smooth_l1_loss(found_offsets * is_full, offsets * is_full, beta=0.1)
    share = F.smooth_l1_loss(torch.logit(found_ink, LOGIT_EPS) * is_full, torch.logit(ink, LOGIT_EPS) * is_full)
    return ctc, place, share
