# SPDX-License-Identifier: Apache-2.0
"""torch.func: per-sample gradients by vmap over grad; a product with the Hessian, forward over reverse."""

import torch
from torch import nn
from torch.func import functional_call, grad, jvp, vmap
from torch.nn import functional

TOLERANCE = 2e-5    # float32


def program(device):
    x, y = torch.randn(16, 12).to(device), torch.randint(3, (16,)).to(device)
    model = nn.Sequential(nn.Linear(12, 32), nn.Tanh(), nn.Linear(32, 3)).to(device)
    parameters = {name: value.detach() for name, value in model.named_parameters()}

    def loss_of(weights, one, label):
        return functional.cross_entropy(functional_call(model, weights, (one[None],)), label[None])

    def loss_of_all(weights):
        return vmap(loss_of, (None, 0, 0))(weights, x, y).mean()

    while True:
        each = vmap(grad(loss_of), (None, 0, 0))(parameters, x, y)
        norms = torch.stack([value.flatten(1).norm(dim=1) for value in each.values()]).norm(dim=0)
        clipped = {name: torch.einsum("b...,b->...", value, (1 / norms).clamp(max=1)) / len(x) for name, value in each.items()}
        _, curved = jvp(grad(loss_of_all), (parameters,), (clipped,))
        parameters = {name: value - 0.1 * clipped[name] for name, value in parameters.items()}
        yield loss_of_all(parameters), norms, *curved.values(), *parameters.values()
