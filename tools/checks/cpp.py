# SPDX-License-Identifier: Apache-2.0
"""Just enough C++ to find functions and types in text that clang-format has laid out."""
import dataclasses
import re

NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|'
                   r"(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'", re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:\\\n|[^\n])*", re.M)
TYPE = re.compile(r"\b(?:class|struct|union|enum)\b[^()=;]*$")


@dataclasses.dataclass
class Scope:
    kind: str  # namespace, type, function, initializer
    head: str  # the text before the brace
    first: int  # line of the opening brace
    last: int = 0
    body: str = ""


def blank(text, keep_directives=False):
    """The text with comments, literals and directives blanked; line numbers stay."""
    def spaces(match):
        return re.sub(r"[^\n]", " ", match[0])
    text = NOISE.sub(spaces, text)
    return text if keep_directives else DIRECTIVE.sub(spaces, text)


def scopes(text):
    """Scopes outside functions, and functions themselves; what is inside a function is its body."""
    text = blank(text)
    found, stack, start = [], [], 0
    position = 0
    while position < len(text):
        c = text[position]
        if c == "{":
            head = text[start:position]
            scope = Scope(_kind(head), head.strip(), text.count("\n", 0, position) + 1)
            end = _matching(text, position)
            scope.last = text.count("\n", 0, end) + 1
            scope.body = text[position + 1:end]
            found.append(scope)
            if scope.kind in ("function", "initializer"):
                # A member initializer `a_{x}` belongs to the head of the function that follows.
                position = end
                start = start if scope.kind == "initializer" else end + 1
            else:
                start = position + 1
        elif c in ";}":
            start = position + 1
        position += 1
    return found


def _kind(head):
    stripped = head.strip()
    if re.search(r"\bnamespace\b", stripped) or re.search(r"\bextern\s*$", stripped):
        return "namespace"
    outside = re.sub(r"<[^<>()]*>", "", re.sub(r"^\s*template\s*<.*?>\s*(?=\w)", "", stripped))
    if TYPE.search(outside):
        return "type"
    if "(" not in stripped or re.search(r"[\w>\])(,=&]$", head) or re.search(r"[^=!<>]=\s*$", head):
        return "initializer"
    return "function"


def _matching(text, position):
    depth = 0
    for index in range(position, len(text)):
        if text[index] == "{":
            depth += 1
        elif text[index] == "}":
            depth -= 1
            if depth == 0:
                return index
    return len(text) - 1


def parameters(head):
    """How many parameters the function with this head takes."""
    name = re.search(r"(?:\boperator\s*(?:\(\)|[^\s(]+)|~?\w+)\s*\(", re.sub(r"\bnoexcept\(.*", "", head))
    if not name:
        return 0
    depth, count, seen = 0, 1, False
    for c in head[name.end():]:
        if c in "([{<":
            depth += 1
        elif c in ")]}>":
            depth -= 1
            if depth < 0:
                break
        elif c == "," and depth == 0:
            count += 1
        seen = seen or not c.isspace()
    return count if seen else 0
