# SPDX-License-Identifier: Apache-2.0
"""A network that solves a differential equation: second derivatives by autograd, in float64, with L-BFGS.

It restarts every 20 steps: a finished search takes a fifth of the evaluations, and due to rounding one device may finish long before the
other.
"""

import torch
from torch import nn

TOLERANCE = 1e-8    # float64; the line search takes the same steps


def program(device):
    t = torch.linspace(0, 1, 40, dtype=torch.float64).unsqueeze(1).to(device).requires_grad_()
    model = nn.Sequential(nn.Linear(1, 24), nn.Tanh(), nn.Linear(24, 24), nn.Tanh(), nn.Linear(24, 1)).double().to(device)
    begin = {name: value.clone() for name, value in model.state_dict().items()}

    def residual():
        u = model(t)
        first, = torch.autograd.grad(u.sum(), t, create_graph=True)
        second, = torch.autograd.grad(first.sum(), t, create_graph=True)
        return (second + 9 * u).square().mean() + (u[0] - 1).square().sum() + first[0].square().sum()

    def closure():
        optimizer.zero_grad()
        loss = residual()
        loss.backward()
        return loss

    while True:
        model.load_state_dict(begin)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=4, line_search_fn="strong_wolfe")
        for _ in range(20):
            yield optimizer.step(closure), *model.parameters()
