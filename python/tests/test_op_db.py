# SPDX-License-Identifier: Apache-2.0
"""A sample of PyTorch's operator database compared with the CPU; op_db_all.py compares all of it."""

import unittest
import warnings

import op_db_compare

# Every seventeenth operator, and those for which this package has its own code.
_OWN = ("addbmm contiguous copysign logit mode nn.functional.smooth_l1_loss nn.functional.ctc_loss nn.functional.batch_norm "
        "nn.functional.conv2d nn.functional.max_unpool2d nn.functional.scaled_dot_product_attention "
        "split_with_sizes_copy tensor_split where").split()


class Database(unittest.TestCase):
    def test_a_cross_section(self):
        known = op_db_compare.operators()
        names = sorted({*list(known)[::17], *(name for name in _OWN if name in known)} - set(op_db_compare.LIMITS))
        calls = 0
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name in names:
                with self.subTest(operator=name):
                    calls += op_db_compare.check(known[name], limit=3)
        self.assertGreater(calls, 3 * len(names))


if __name__ == "__main__":
    unittest.main()
