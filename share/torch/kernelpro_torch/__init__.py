# SPDX-License-Identifier: Apache-2.0
"""The process that holds PyTorch for KernelPro: PYTHON -I -B kernelpro_torch NONCE [guest]

One request, one answer, in turn, in frames over the socket that is descriptor 3; each is an object in
JSON. A request has "do" and what the verb takes, an answer "ok". docs/torch.md says what the verbs do.
Problems are code of the user: what it prints is text for people, what it raises is an answer.
"""
