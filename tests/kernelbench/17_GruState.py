# SPDX-License-Identifier: Apache-2.0
"""A recurrent network with its state as a second input; both results are outputs."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, input_size, hidden_size, num_layers=2, bias=True, batch_first=False):
        super(Model, self).__init__()
        self.gru = nn.GRU(input_size, hidden_size, num_layers, bias, batch_first, dropout=0,
                          bidirectional=False)

    def forward(self, x, h0):
        output, h_n = self.gru(x, h0)
        return output, h_n


batch_size = 3
seq_len = 5
input_size = 8
hidden_size = 12
num_layers = 2


def get_inputs():
    return [torch.rand(seq_len, batch_size, input_size),
            torch.rand((num_layers, batch_size, hidden_size))]


def get_init_inputs():
    return [input_size, hidden_size, num_layers]
