#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The module acl: what programs call most, each with its effect and a failure; callbacks, structures, and the rule for a machine with CANN."""

import gc
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import acl
import numpy as np
from acl import _table, const

PACKAGE = pathlib.Path(acl.__file__).parent
OF_32_BITS = 1 << 31
DEAD = 0x1234560  # the address of no object


def setUpModule():
    assert acl.init() == 0 and acl.rt.set_device(0) == 0


def run_python(program, **variables):
    environment = {name: value for name, value in (os.environ | variables).items() if value is not None}
    return subprocess.run([sys.executable, "-c", program], env=environment, text=True, capture_output=True, timeout=60, check=False)


class Processes(unittest.TestCase):
    def test_init_and_finalize(self):
        self.assertEqual(acl.init(), 100002)
        run = run_python("import acl; print(acl.init(None), acl.finalize(), acl.finalize(), acl.init('/no/such/file'))")
        self.assertEqual((run.stdout, run.stderr), ("0 0 100037 100003\n", ""))

    def test_the_soc_has_two_names(self):
        self.assertRegex(acl.get_soc_name(), "^Ascend")
        self.assertEqual(acl.get_soc_name(), acl.rt.get_soc_name())

    def test_get_run_mode(self):
        self.assertEqual(acl.rt.get_run_mode(), (const.ACL_HOST, 0))

    def test_get_recent_err_msg(self):
        acl.get_recent_err_msg()
        self.assertEqual(acl.get_recent_err_msg(), "")
        self.assertEqual(acl.rt.malloc(0, 0), (0, 100000))
        self.assertIn("aclrtMalloc", acl.get_recent_err_msg())

    def test_app_log_names_the_caller(self):
        program = "import acl\ndef work():\n    acl.app_log(1, '100 %s')\nwork()"
        run = run_python(program, ASCEND_SLOG_PRINT_TO_STDOUT="1", ASCEND_GLOBAL_LOG_LEVEL="1")
        self.assertRegex(run.stdout + run.stderr, r"<string>:3\b.*work.*100 %s")
        with self.assertRaisesRegex(TypeError, "argument 'message': expected str, bytes or None, got int"):
            acl.app_log(1, 2)

    def test_a_folder_of_compiled_operators_is_refused(self):
        self.assertEqual(acl.op.set_model_dir("."), 207000)
        self.assertIn("aclopSetModelDir", acl.get_recent_err_msg())


class Devices(unittest.TestCase):
    def test_count_set_get_and_reset(self):
        count, ret = acl.rt.get_device_count()
        self.assertEqual(ret, 0)
        self.assertEqual((acl.rt.set_device(0), acl.rt.get_device(), acl.rt.reset_device(0)), (0, (0, 0), 0))
        self.assertEqual((acl.rt.set_device(count), acl.rt.reset_device(count)), (107001, 107001))

    def test_contexts(self):
        before, ret = acl.rt.get_context()
        context, created = acl.rt.create_context(0)
        self.assertEqual((ret, created, acl.rt.get_context()), (0, 0, (context, 0)))
        self.assertEqual((acl.rt.set_context(before), acl.rt.get_context()), (0, (before, 0)))
        self.assertEqual((acl.rt.destroy_context(context), acl.rt.set_context(context), acl.rt.destroy_context(context)), (0, 107000, 107000))
        self.assertEqual(acl.rt.create_context(1 << 20), (0, 107001))

    def test_a_thread_without_a_context(self):
        results = []
        thread = threading.Thread(target=lambda: results.append((acl.rt.get_context(), acl.rt.create_stream(), acl.rt.get_mem_info(1))))
        thread.start()
        thread.join()
        self.assertEqual(results, [((0, 107002), (0, 107002), (0, 0, 107002))])

    def test_get_mem_info(self):
        free, total, ret = acl.rt.get_mem_info(const.ACL_HBM_MEM)
        self.assertEqual(ret, 0)
        self.assertTrue(0 < free <= total)
        self.assertNotEqual(acl.rt.get_mem_info(99)[2], 0)

    def test_structures_are_dicts(self):
        uuid, ret = acl.rt.device_get_uuid(0)
        self.assertEqual((ret, list(uuid), len(uuid["bytes"])), (0, ["bytes"], 16))
        self.assertEqual(acl.rt.get_device_utilization_rate(0)[0]["memoryUtilization"], -1)
        bus, ret = acl.rt.device_get_pci_bus_id(0, 13)
        self.assertEqual((ret, acl.rt.device_get_by_pci_bus_id(bus)), (0, (0, 0)))
        self.assertEqual(acl.rt.device_get_pci_bus_id(0, 5), ("", 107000))


class Memory(unittest.TestCase):
    def test_1000_numbers_go_to_the_device_and_back(self):
        there, back = np.arange(1000, dtype=np.float32), np.zeros(1000, np.float32)
        device, ret = acl.rt.malloc(there.nbytes, const.ACL_MEM_MALLOC_HUGE_FIRST)
        self.assertEqual(ret, 0)
        self.assertEqual(acl.rt.memcpy(device, there.nbytes, acl.util.numpy_to_ptr(there), there.nbytes, const.ACL_MEMCPY_HOST_TO_DEVICE), 0)
        self.assertEqual(acl.rt.memcpy(acl.util.numpy_to_ptr(back), back.nbytes, device, back.nbytes, const.ACL_MEMCPY_DEVICE_TO_HOST), 0)
        np.testing.assert_array_equal(back, there)
        self.assertEqual(acl.rt.memcpy(device, 4, acl.util.numpy_to_ptr(there), 8, 1), 107000)
        self.assertEqual((acl.rt.free(device), acl.rt.free(device), acl.rt.free(None)), (0, 107000, 100000))

    def test_memory_of_the_host(self):
        host, ret = acl.rt.malloc_host(64)
        self.assertEqual((ret, acl.rt.memset(host, 64, 7, 64), acl.util.ptr_to_bytes(host, 64)), (0, 0, b"\7" * 64))
        self.assertEqual(acl.rt.memset(host, 64, 7, 65), 107000)
        self.assertEqual((acl.rt.free_host(host), acl.rt.free_host(host), acl.rt.malloc_host(0)), (0, 107000, (0, 100000)))

    def test_memcpy_async(self):
        host, device = acl.rt.malloc_host(8)[0], acl.rt.malloc(8, 0)[0]
        stream = acl.rt.create_stream()[0]
        acl.rt.memset(host, 8, 5, 8)
        self.assertEqual(acl.rt.memcpy_async(device, 8, host, 8, 1, stream), 0)
        acl.rt.synchronize_stream(stream)
        self.assertEqual((acl.rt.memset(host, 8, 0, 8), acl.rt.memcpy(host, 8, device, 8, 2)), (0, 0))
        self.assertEqual(acl.util.ptr_to_bytes(host, 8), b"\5" * 8)
        self.assertEqual(acl.rt.memcpy_async(device, 8, host, 8, 1, DEAD), 107017)
        self.assertEqual((acl.rt.destroy_stream(stream), acl.rt.free(device), acl.rt.free_host(host)), (0, 0, 0))

    def test_data_buffers(self):
        buffer = acl.create_data_buffer(4096, 1 << 33)
        self.assertEqual((acl.get_data_buffer_addr(buffer), acl.get_data_buffer_size(buffer)), (4096, 1 << 33))
        self.assertEqual(acl.get_data_buffer_size_v2(buffer), 1 << 33)
        self.assertEqual((acl.destroy_data_buffer(buffer), acl.destroy_data_buffer(buffer), acl.get_data_buffer_addr(buffer)), (0, 107017, 0))

    def test_descriptions_of_tensors(self):
        tensor = acl.create_tensor_desc(const.ACL_FLOAT, [8, -1], const.ACL_FORMAT_ND)
        self.assertEqual((acl.get_tensor_desc_num_dims(tensor), acl.get_tensor_desc_dim_v2(tensor, 1)), (2, (-1, 0)))
        self.assertEqual((acl.get_tensor_desc_element_count(tensor), acl.set_tensor_origin_shape(tensor, [8, 2])), (0, 0))
        self.assertEqual((acl.get_tensor_desc_element_count(tensor), acl.get_tensor_desc_size(tensor)), (16, 64))
        self.assertEqual((acl.set_tensor_shape_range(tensor, [[8, 8], (1, 4)]), acl.get_tensor_desc_dim_range(tensor, 1, 2)), (0, ([1, 4], 0)))
        for ranges, error, message in (([[1, 2, 3]], ValueError, "argument 'dimsRange': element 0: expected 2 elements, got 3"),
                                       ([7], TypeError, "argument 'dimsRange': element 0: expected a list or None, got int"),
                                       ([None], TypeError, "argument 'dimsRange': element 0: expected a list, got NoneType")):
            with self.assertRaisesRegex(error, message):
                acl.set_tensor_shape_range(tensor, ranges)
        acl.set_tensor_desc_name(tensor, "x")
        self.assertEqual(acl.get_tensor_desc_name(tensor), "x")
        self.assertIsNone(acl.destroy_tensor_desc(tensor))
        self.assertEqual(acl.set_tensor_shape(tensor, [1]), 107017)

    def test_options_of_the_compiler(self):
        option = const.ACL_OP_PRECISION_MODE
        self.assertEqual((acl.set_compileopt(option, "high"), acl.get_compileopt_size(option)), (0, 5))
        self.assertEqual((acl.get_compileopt(option, 5), acl.get_compileopt(option, 4)), (("high", 0), ("", 100000)))

    def test_lists(self):
        host = [acl.rt.malloc_host(8)[0] for _ in range(4)]
        for place, address in enumerate(host):
            acl.rt.memset(address, 8, place, 8)
        location = {"type": const.ACL_MEM_LOCATION_TYPE_HOST}
        copies = ([8, 8], host[:2], [8, 4], [{"dstLoc": location, "srcLoc": location}], [0])
        self.assertEqual(acl.rt.memcpy_batch(host[2:], *copies), ((1 << 64) - 1, 0))
        self.assertEqual(acl.util.ptr_to_bytes(host[3], 8), b"\1" * 4 + b"\3" * 4)
        with self.assertRaisesRegex(ValueError, "acl.rt.memcpy_batch: expected lists of one length, got 'dsts' of 1, 'destMaxs' of 2"):
            acl.rt.memcpy_batch(host[2:3], *copies)
        self.assertEqual(acl.rt.memcpy_batch(None, None, None, None, None, None)[-1], 100000)
        self.assertEqual(acl.rt.check_mem_type(host, const.ACL_RT_MEM_TYPE_DEV, 0), (0, 0))
        self.assertEqual([acl.rt.free_host(address) for address in host], [0] * 4)

    def test_structures_in(self):
        device = {"location": {"type": 1, "id": 0}, "memAttr": const.ACL_HBM_MEM_HUGE}
        size, ret = acl.rt.mem_get_allocation_granularity(device, 0)
        self.assertEqual(ret, 0)
        handle, ret = acl.rt.malloc_physical(size, device, 0)
        found, _ = acl.rt.mem_get_allocation_properties_from_handle(handle)
        self.assertEqual((ret, found["location"], found["memAttr"]), (0, device["location"], device["memAttr"]))
        self.assertEqual(acl.rt.free_physical(handle), 0)
        block, ret = acl.rt.malloc_with_cfg(64, 0, {"attrs": [{"attr": const.ACL_RT_MEM_ATTR_MODULE_ID, "value": {"moduleId": 3}}]})
        self.assertEqual((ret, acl.rt.free(block)), (0, 0))
        self.assertEqual(acl.rt.malloc_with_cfg(64, 0, {"attrs": [{"attr": 99}]}), (0, 107000))
        with self.assertRaisesRegex(ValueError, "'cfg': expected 'numAttrs' 1, the length of 'attrs', got 5"):
            acl.rt.malloc_with_cfg(64, 0, {"attrs": [{"attr": 1}], "numAttrs": 5})
        self.assertEqual(acl.rt.malloc_physical(size, None, 0)[1], 100000)
        for given, message in (({"place": 1}, "'prop': no member 'place'"),
                               ({"location": {"id": "0"}}, "'location': member 'id': expected an integer"),
                               ("0", "'prop': expected a dict, an address or None, got str")):
            with self.assertRaisesRegex(TypeError, message):
                acl.rt.malloc_physical(size, given, 0)

    def test_unions_return_what_was_set(self):
        stream = acl.rt.create_stream()[0]
        self.assertEqual(acl.rt.set_stream_attribute(stream, const.ACL_STREAM_ATTR_USER_CUSTOM_TAG, {"userCustomTag": 77}), 0)
        value, ret = acl.rt.get_stream_attribute(stream, const.ACL_STREAM_ATTR_USER_CUSTOM_TAG)
        self.assertEqual((ret, value["userCustomTag"], value["reserve"]), (0, 77, [77, 0, 0, 0]))
        self.assertEqual(acl.rt.set_stream_attribute(stream, const.ACL_STREAM_ATTR_USER_CUSTOM_TAG, value), 0)
        self.assertEqual(acl.rt.destroy_stream(stream), 0)


class Streams(unittest.TestCase):
    def setUp(self):
        self.stream, ret = acl.rt.create_stream()
        self.assertEqual(ret, 0)
        self.addCleanup(acl.rt.destroy_stream, self.stream)

    def test_create_synchronize_destroy(self):
        self.assertEqual((acl.rt.synchronize_stream(self.stream), acl.rt.synchronize_stream(None), acl.rt.stream_query(self.stream)), (0, 0, (0, 0)))
        stream, ret = acl.rt.create_stream_with_config(3, const.ACL_STREAM_FAST_LAUNCH)
        self.assertEqual((ret, acl.rt.stream_get_priority(stream)), (0, (3, 0)))
        self.assertEqual((acl.rt.destroy_stream(stream), acl.rt.destroy_stream(stream), acl.rt.synchronize_stream(stream)), (0, 107017, 107017))
        self.assertNotEqual(acl.rt.create_stream_with_config(0, 1 << 30)[1], 0)

    def test_event_pair(self):
        (start, _), (end, _) = acl.rt.create_event_with_flag(const.ACL_EVENT_TIME_LINE), acl.rt.create_event()
        self.assertEqual((acl.rt.record_event(start, self.stream), acl.rt.record_event(end, self.stream)), (0, 0))
        self.assertEqual((acl.rt.synchronize_event(end), acl.rt.query_event(end), acl.rt.query_event_status(end)), (0, (0, 0), (1, 0)))
        elapsed, ret = acl.rt.event_elapsed_time(start, end)
        self.assertEqual(ret, 0)
        self.assertGreaterEqual(elapsed, 0)
        self.assertEqual((acl.rt.stream_wait_event(self.stream, end), acl.rt.synchronize_stream(self.stream)), (0, 0))
        self.assertEqual([acl.rt.destroy_event(event) for event in (start, end)], [0, 0])
        failed = acl.rt.destroy_event(end), acl.rt.record_event(end, self.stream), acl.rt.stream_wait_event(self.stream, end)
        self.assertEqual(failed, (107017,) * 3)
        failed = acl.rt.synchronize_event(end), acl.rt.query_event(end)[1], acl.rt.event_elapsed_time(start, end)[1]
        self.assertEqual(failed, (107017,) * 3)

    def test_events_with_flags(self):
        event, ret = acl.rt.create_event_ex_with_flag(const.ACL_EVENT_SYNC)
        self.assertEqual((ret, acl.rt.destroy_event(event)), (0, 0))
        self.assertEqual((acl.rt.create_event_ex_with_flag(1 << 30), acl.rt.create_event_with_flag(1 << 30)), ((0, 107000), (0, 107000)))

    def test_wrong_values(self):
        for call, error, message in (
                (lambda: acl.rt.malloc("1", 0), TypeError, "^acl.rt.malloc: argument 'size': expected an integer, got str$"),
                (lambda: acl.rt.malloc(-1, 0), OverflowError, "^acl.rt.malloc: argument 'size': expected 0 .. 18446744073709551615, got -1$"),
                (lambda: acl.rt.set_device(OF_32_BITS), OverflowError, "argument 'deviceId': expected -2147483648 .. 2147483647, got 2147483648"),
                (lambda: acl.rt.synchronize_stream(1.5), TypeError, "argument 'stream': expected an integer or None, got float"),
                (lambda: acl.rt.set_device(), TypeError, "set_device.*missing 1 required positional argument: 'deviceId'"),
                (lambda: acl.float_to_float16("1"), TypeError, "argument 'value': expected a number, got str")):
            with self.subTest(message), self.assertRaisesRegex(error, message):
                call()
        self.assertEqual((acl.rt.set_device(np.int64(0)), acl.float_to_float16(1), acl.float16_to_float(0x3C00)), (0, 0x3C00, 1.0))


class Callbacks(unittest.TestCase):
    def setUp(self):
        self.stream, _ = acl.rt.create_stream()
        self.addCleanup(acl.rt.destroy_stream, self.stream)

    def start(self, flags):
        """Runs callbacks until `flags` is empty."""
        context, _ = acl.rt.get_context()

        def work(flags):
            acl.rt.set_context(context)
            while flags:
                acl.rt.process_report(10)

        thread, ret = acl.util.start_thread(work, flags)
        self.assertEqual((ret, acl.rt.subscribe_report(thread, self.stream)), (0, 0))
        return thread

    def test_callbacks_run_in_the_subscribed_thread(self):
        results, flags = [], ["run"]
        thread = self.start(flags)

        def note(data):
            results.append((data["number"], threading.get_ident()))

        for number in range(100):
            self.assertEqual(acl.rt.launch_callback(note, {"number": number}, number % 2, self.stream), 0)
        gc.collect()
        acl.rt.synchronize_stream(self.stream)
        flags.clear()
        self.assertEqual((acl.util.stop_thread(thread), acl.util.stop_thread(thread)), (0, 100000))
        self.assertEqual(results, [(number, thread) for number in range(100)])
        self.assertEqual((acl.rt.unsubscribe_report(thread, self.stream), acl.rt.unsubscribe_report(thread, self.stream)), (0, 107012))
        self.assertEqual(acl.rt.launch_callback(print, None, 0, self.stream), 107015)
        self.assertEqual(acl.rt.process_report(1), 107012)

    def test_what_a_destroyed_stream_has_not_run_is_not_kept(self):
        class Data:
            pass

        stream, _ = acl.rt.create_stream()
        thread, ran = threading.get_ident(), []
        dropped = weakref.ref(data := Data())
        self.assertEqual((acl.rt.subscribe_report(thread, stream), acl.rt.subscribe_report(thread, self.stream)), (0, 0))
        self.assertEqual([acl.rt.launch_callback(ran.append, data, 0, owner) for owner in (stream, stream, self.stream)], [0] * 3)
        del data
        acl.rt.synchronize_stream(stream)
        self.assertEqual((acl.rt.unsubscribe_report(thread, stream), acl.rt.process_report(1000), acl.rt.destroy_stream(stream)), (0, 0, 0))
        self.assertEqual((len(ran), acl.rt.process_report(1), acl.rt.unsubscribe_report(thread, self.stream)), (1, 507012, 0))
        ran.clear()
        self.assertIsNone(dropped())

    def test_subscriptions_are_refused_twice(self):
        flags = ["run"]
        thread = self.start(flags)
        self.assertEqual((acl.rt.subscribe_report(thread, self.stream), acl.rt.subscribe_report(thread, 0)), (107011, 100000))
        flags.clear()
        self.assertEqual(acl.util.stop_thread(thread), 0)

    def test_host_functions_of_many_threads(self):
        results, context = [], acl.rt.get_context()[0]

        def work(number):
            acl.rt.set_context(context)
            stream, _ = acl.rt.create_stream()
            for place in range(50):
                acl.rt.launch_host_func(stream, results.append, (number, place))
            acl.rt.synchronize_stream(stream)
            acl.rt.destroy_stream(stream)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        [thread.start() for thread in threads]
        [thread.join() for thread in threads]
        for number in range(4):
            self.assertEqual([place for owner, place in results if owner == number], list(range(50)))
        self.assertEqual(acl.rt.launch_host_func(self.stream, None, None), 100000)

    def test_an_exception_in_a_callback_is_reported(self):
        reports, hook = [], sys.unraisablehook
        sys.unraisablehook = lambda report: reports.append(report.exc_type)
        try:
            acl.rt.launch_host_func(self.stream, lambda data: 1 // data, 0)
            acl.rt.synchronize_stream(self.stream)
        finally:
            sys.unraisablehook = hook
        self.assertEqual(reports, [ZeroDivisionError])

    def test_registered_functions_are_called_until_they_are_removed(self):
        calls, owner = [], object()

        def note(stream, state, data):
            calls.append((state, data))

        self.assertEqual(acl.rt.reg_stream_state_callback("test_acl", note, owner), 0)
        acl.rt.destroy_stream(acl.rt.create_stream()[0])
        self.assertEqual(acl.rt.reg_stream_state_callback("test_acl", None, None), 0)
        acl.rt.destroy_stream(acl.rt.create_stream()[0])
        self.assertEqual(calls, [(1, owner), (2, owner)])
        with self.assertRaisesRegex(TypeError, "argument 'callback' is no function of Python; its data: expected an integer or None, got object"):
            acl.rt.reg_stream_state_callback("test_acl", None, owner)

    def test_functions_that_return_values_and_addresses(self):
        desc, stream = acl.rt.allocator_create_desc(), self.stream
        self.assertEqual(acl.rt.allocator_set_alloc_func_to_desc(desc, lambda allocator, size: allocator + size), 0)
        self.assertEqual(acl.rt.allocator_set_free_func_to_desc(desc, lambda allocator, block: None), 0)
        self.assertEqual(acl.rt.allocator_set_get_addr_from_block_func_to_desc(desc, lambda block: block), 0)
        self.assertEqual((acl.rt.allocator_set_obj_to_desc(desc, 64), acl.rt.allocator_register(stream, desc)), (0, 0))
        _, allocator, allocate, *_, ret = acl.rt.allocator_get_by_stream(stream)
        self.assertEqual((allocator, ret), (64, 0))
        self.assertEqual(acl.rt.allocator_set_alloc_func_to_desc(desc, allocate), 0)
        self.assertEqual((acl.rt.allocator_unregister(stream), acl.rt.allocator_destroy_desc(desc)), (0, 0))


class Refused(unittest.TestCase):
    def test_models_and_media(self):
        self.assertEqual((acl.mdl.load_from_file("model.om"), acl.mdl.load_from_mem(0, 0)), ((0, 207000), (0, 207000)))
        self.assertEqual((acl.mdl.create_desc(), acl.mdl.get_desc(0, 0), acl.mdl.get_num_inputs(0), acl.mdl.get_num_outputs(0)), (0, 207000, 0, 0))
        self.assertEqual((acl.mdl.get_input_size_by_index(0, 0), acl.mdl.get_output_size_by_index(0, 0), acl.mdl.create_dataset()), (0, 0, 0))
        self.assertEqual((acl.mdl.add_dataset_buffer(5, 6), acl.mdl.execute(0, 0, 0), acl.mdl.unload(0)), ((5, 207000), 207000, 207000))
        self.assertEqual((acl.media.dvpp_create_channel_desc(), acl.media.dvpp_create_channel(0)), (0, 207000))
        self.assertEqual(acl.media.vdec_send_frame(0, 0, 0), 207000)
        self.assertEqual(acl.media.dvpp_malloc(8), (0, 207000))
        for module, name in ((acl.media, "resize"), (acl.mdl, "load"), (acl.rt, "mallok"), (acl, "rtMalloc")):
            with self.assertRaisesRegex(AttributeError, f"module 'acl.*' has no attribute '{name}'"):
                getattr(module, name)

    def test_functions_without_support_answer_their_status(self):
        self.assertEqual(acl.rt.binary_load(0), (0, 207000))
        self.assertEqual(acl.rt.launch_simt_kernel_with_args_array(0, {"x": 1}, {"x": 1}, 0, 0, None, 0), 207000)


class Places(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.cann = self.folder / "cann"
        (self.cann / "lib64").mkdir(parents=True)
        (self.cann / "lib64" / "libascendcl.so").touch()

    def test_the_module_of_cann_is_imported(self):
        folder = self.cann / "python" / "site-packages"
        folder.mkdir(parents=True)
        (folder / "acl.py").write_text("def init():\n    return 'CANN'\n", encoding="ascii")
        program = "import acl; from acl import init; import sys; print(acl.init(), init(), sys.modules['acl'] is acl)"
        run = run_python(program, ASCEND_HOME_PATH=str(self.cann))
        self.assertEqual((run.stdout, run.stderr), ("CANN CANN True\n", ""))

    def test_the_import_fails_where_cann_has_none(self):
        run = run_python("import acl", ASCEND_HOME_PATH=str(self.cann))
        self.assertIn(f"ImportError: CANN is installed in {self.cann}/lib64, but its module acl is not found; source its set_env.sh", run.stderr)

    def test_set_env_selects_the_one_in_its_toolkit(self):
        toolkit = self.folder / "toolkit"
        shutil.copytree(PACKAGE, toolkit / "python" / "site-packages" / "acl")
        shutil.copy(_table.root / "set_env.sh", toolkit)
        for name in ("lib64", "share"):
            (toolkit / name).symlink_to(_table.root / name)
        program = "import acl; print(acl.__file__, acl.init(), acl.rt.set_device(0))"
        run = subprocess.run(["bash", "-euc", f"source {toolkit}/set_env.sh; exec {sys.executable} -c '{program}'"], text=True, capture_output=True,
                             env={"LD_LIBRARY_PATH": f"{self.cann}/lib64", "PATH": os.environ["PATH"]}, check=False)
        self.assertEqual((run.stdout, run.stderr), (f"{toolkit}/python/site-packages/acl/__init__.py 0 0\n", ""))


if __name__ == "__main__":
    unittest.main()
