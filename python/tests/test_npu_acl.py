# SPDX-License-Identifier: Apache-2.0
"""pyACL and PyTorch in one process: the same device, context and streams, whichever is imported first."""

import unittest

import npu_case

PROGRAM = """
{first}
{second}
import numpy as np
acl.init()
x = torch.arange(4.0, device="npu")
torch.npu.synchronize()
host, stream = np.zeros(4, np.float32), torch.npu.current_stream().npu_stream
print(acl.rt.get_device(), acl.rt.memcpy(acl.util.numpy_to_ptr(host), 16, x.data_ptr(), 16, acl.const.ACL_MEMCPY_DEVICE_TO_HOST), host.tolist())
print(acl.rt.memset_async(x.data_ptr(), 16, 0, 8, stream), acl.rt.synchronize_stream(stream), x.tolist())
"""
ACL, TORCH = "import acl", "import portacl, torch"


class Acl(unittest.TestCase):
    def test_both_work_on_the_same_memory_and_streams(self):
        for first, second in ((ACL, TORCH), (TORCH, ACL)):
            run = npu_case.run_python("-c", PROGRAM.format(first=first, second=second))
            self.assertEqual((run.stdout, run.stderr), ("(0, 0) 0 [0.0, 1.0, 2.0, 3.0]\n0 0 [0.0, 0.0, 2.0, 3.0]\n", ""))


if __name__ == "__main__":
    unittest.main()
