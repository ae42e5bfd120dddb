# SPDX-License-Identifier: Apache-2.0
# An image with the wheel that tools/build_wheels.sh left in dist/:
#   docker build -t portacl . && docker run portacl run Softmax self=random:4,5 dim=-1
FROM python:3.11-slim
COPY dist/*.whl /tmp/wheels/
RUN pip install --no-cache-dir /tmp/wheels/portacl-*_$(uname -m).whl && rm -r /tmp/wheels
ENTRYPOINT ["portacl"]
