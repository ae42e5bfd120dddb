# SPDX-License-Identifier: Apache-2.0
"""The tokens of a text: trained with byte pair encoding and applied like SentencePiece, so that llama.cpp finds the same tokens."""

import collections
import itertools

SPACE = "\u2581"
UNKNOWN, BEGIN, END = 0, 1, 2
FIRST_BYTE = 3
FIRST_PIECE = FIRST_BYTE + 256
MULTIPLE = 32  # a row of a quantised matrix consists of blocks of 32


class Tokens:
    """Pieces of words, in the order of preference; other text is encoded in bytes."""

    def __init__(self, pieces):
        self.pieces = list(pieces)
        self.numbers = {piece: FIRST_PIECE + index for index, piece in enumerate(self.pieces)}

    @classmethod
    def of_text(cls, text, count):
        """At most `count` tokens: the most frequent pairs in the words of `text`, joined repeatedly, and all its characters."""
        words = collections.Counter(word for line in text.split("\n") for word in _words(line))
        spelled = {word: list(word) for word in words}
        characters = sorted({character for word in words for character in word})
        joined = []
        while len(joined) + len(characters) + FIRST_PIECE < count:
            pairs = collections.Counter()
            for word, symbols in spelled.items():
                for pair in itertools.pairwise(symbols):
                    pairs[pair] += words[word]
            if not pairs or max(pairs.values()) < 2:
                break
            # Among equally frequent pairs the first one is used, so that every run finds the same tokens.
            best = min(pairs, key=lambda pair: (-pairs[pair], pair))
            joined.append("".join(best))
            for word, symbols in spelled.items():
                spelled[word] = _join(symbols, best)
        return cls(list(dict.fromkeys(joined)) + characters)

    def encode(self, text):
        """The token numbers of `text`, including the mark of the beginning."""
        symbols = list(SPACE + text.replace(" ", SPACE))
        while True:
            # Joins the leftmost pair that makes the most preferred piece.
            made = [(self.numbers.get(a + b, len(self) + 1), at) for at, (a, b) in enumerate(itertools.pairwise(symbols))]
            number, at = min(made, default=(len(self) + 1, 0))
            if number > len(self):
                break
            symbols[at : at + 2] = [symbols[at] + symbols[at + 1]]
        numbers = [BEGIN]
        for symbol in symbols:
            numbers += [self.numbers[symbol]] if symbol in self.numbers else [FIRST_BYTE + byte for byte in symbol.encode()]
        return numbers

    def decode(self, numbers):
        text = b""
        for number in numbers:
            if number >= FIRST_PIECE:
                text += self.pieces[number - FIRST_PIECE].encode() if number < FIRST_PIECE + len(self.pieces) else b""
            elif number >= FIRST_BYTE:
                text += bytes([number - FIRST_BYTE])
        return text.decode(errors="replace").replace(SPACE, " ").removeprefix(" ")

    def __len__(self):
        """The tokens of a model, padded to a multiple of MULTIPLE."""
        return -(-(FIRST_PIECE + len(self.pieces)) // MULTIPLE) * MULTIPLE

    def table(self):
        """[(text, score, type)] of all tokens, as the file of a model lists them. Types: 1 ordinary, 2 unknown, 3 control, 5 unused, 6 byte."""
        table = [("<unk>", 0.0, 2), ("<s>", 0.0, 3), ("</s>", 0.0, 3)]
        table += [(f"<0x{byte:02X}>", 0.0, 6) for byte in range(256)]
        table += [(piece, -float(index), 1) for index, piece in enumerate(self.pieces)]
        table += [(f"<unused{index}>", -1e6, 5) for index in range(len(self) - len(table))]
        return table


def _words(line):
    """Words with the space before them; a line begins without one."""
    return [word for word in line.replace(" ", f"\n{SPACE}").split("\n") if word]


def _join(symbols, pair):
    joined = []
    for symbol in symbols:
        if joined and (joined[-1], symbol) == pair:
            joined[-1] += symbol
        else:
            joined.append(symbol)
    return joined
