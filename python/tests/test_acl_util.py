#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""acl.util, and the functions of the module acl that are written by hand."""

import contextlib
import io
import threading
import unittest

import acl
import numpy as np

# NumPy's own numbers, which programs write as such.
NUMBERS = {0: "bool", 1: "int8", 2: "uint8", 3: "int16", 4: "uint16", 5: "int32", 6: "uint32", 7: "int64", 8: "uint64", 11: "float32", 12: "float64",
           23: "float16"}


class Addresses(unittest.TestCase):
    def test_bytes_are_a_buffer(self):
        buffer = bytes(8)
        address = acl.util.bytes_to_ptr(buffer)
        self.assertEqual((acl.init() in (0, 100002), acl.rt.set_device(0), acl.rt.memset(address, 8, 3, 8)), (True, 0, 0))
        self.assertEqual(buffer, b"\3" * 8)
        copy = acl.util.ptr_to_bytes(address, 4)
        acl.rt.memset(address, 8, 4, 8)
        self.assertEqual((copy, acl.util.ptr_to_bytes(0, 0)), (b"\3" * 4, b""))
        for call, error, message in ((lambda: acl.util.bytes_to_ptr("text"), TypeError, "argument 'data': expected bytes, got str"),
                                     (lambda: acl.util.ptr_to_bytes(0, 1), ValueError, "no memory of 1 bytes at 0"),
                                     (lambda: acl.util.ptr_to_bytes(address, -1), ValueError, "no memory of -1 bytes"),
                                     (lambda: acl.util.ptr_to_bytes("1", 1), TypeError, "argument 'ptr': expected an integer or None, got str")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()

    def test_arrays(self):
        array, printed = np.arange(6, dtype=np.float32).reshape(2, 3), io.StringIO()
        with contextlib.redirect_stderr(printed):
            self.assertEqual(acl.util.numpy_to_ptr(array), array.ctypes.data)
            self.assertEqual(printed.getvalue(), "")
            self.assertEqual(acl.util.numpy_to_ptr(array.T), array.ctypes.data)
        self.assertIn("numpy_contiguous_to_ptr", printed.getvalue())
        address, owner = acl.util.numpy_contiguous_to_ptr(array.T)
        self.assertEqual((address, owner.tolist()), (owner.ctypes.data, array.T.tolist()))
        self.assertEqual(acl.util.numpy_contiguous_to_ptr(array)[0], array.ctypes.data)
        self.assertEqual(acl.util.numpy_contiguous_to_ptr(np.array(2.0))[1].shape, ())
        for function in (acl.util.numpy_to_ptr, acl.util.numpy_contiguous_to_ptr):
            with self.assertRaisesRegex(TypeError, "argument 'array': expected numpy.ndarray, got list"):
                function([1.0])

    def test_views_of_memory(self):
        for number, name in NUMBERS.items():
            array = np.ones((2, 3), name)
            view = acl.util.ptr_to_numpy(acl.util.numpy_to_ptr(array), (2, 3), number)
            view[1, 2] = 0
            self.assertEqual((view.dtype, view.flags.owndata, array.tolist()), (array.dtype, False, [[1, 1, 1], [1, 1, 0]]))
        self.assertEqual(acl.util.ptr_to_numpy(0, (0, 3), 11).shape, (0, 3))
        for arguments, error, message in (((1, (2,), 13), ValueError, "argument 'type': expected one of 0, 1, .*, got 13"),
                                          ((0, (2,), 11), ValueError, "no memory of 8 bytes at 0"),
                                          ((1, 2, 11), TypeError, "argument 'shape': expected a tuple, got int"),
                                          ((1, (-1,), 11), OverflowError, "argument 'shape': element 0: expected 0 .. .*, got -1")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                acl.util.ptr_to_numpy(*arguments)


class Threads(unittest.TestCase):
    def test_the_function_runs_once_with_its_arguments_as_one(self):
        calls = []
        thread, ret = acl.util.start_thread(lambda args: calls.append((args, threading.get_ident())), [1, 2])
        self.assertEqual((ret, acl.util.stop_thread(thread), calls), (0, 0, [([1, 2], thread)]))
        self.assertEqual((acl.util.stop_thread(thread), acl.util.stop_thread(12345)), (100000, 100000))

    def test_a_thread_does_not_wait_for_itself(self):
        results = []
        thread, _ = acl.util.start_thread(lambda args: results.append(acl.util.stop_thread(threading.get_ident())), None)
        for other in threading.enumerate():
            if other.ident == thread:
                other.join()
        self.assertEqual((results, acl.util.stop_thread(thread)), ([100000], 0))

    def test_wrong_types(self):
        with self.assertRaisesRegex(TypeError, "acl.util.start_thread: argument 'func': expected a function, got int"):
            acl.util.start_thread(1, None)
        with self.assertRaisesRegex(TypeError, "acl.util.stop_thread: argument 'tid': expected an integer, got str"):
            acl.util.stop_thread("1")


class ByHand(unittest.TestCase):
    def test_lists_of_lists(self):
        attr = acl.op.create_attr()
        self.assertEqual(acl.op.set_attr_list_list_int(attr, "pads", [[1, 2], [], [3]]), 0)
        for values, message in ((1, "'values': expected a list of lists, got int"), ([[1], "2"], "element 1: expected a list or None, got str"),
                                ([["1"]], "element 0: element 0: expected an integer, got str")):
            with self.assertRaisesRegex(TypeError, message):
                acl.op.set_attr_list_list_int(attr, "pads", values)
        self.assertIsNone(acl.op.destroy_attr(attr))

    def test_attributes_of_cann(self):
        attributes, ret = acl.get_cann_attribute_list()
        self.assertEqual(ret, 0)
        for attribute in attributes:
            self.assertEqual(acl.get_cann_attribute(attribute)[1], 0)


if __name__ == "__main__":
    unittest.main()
