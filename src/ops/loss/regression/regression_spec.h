// SPDX-License-Identifier: Apache-2.0
//
// Schemas of the operators of this room: data, read by checks, tools, tests and fuzzers.
#pragma once

#include "exec/arguments.h"
#include "families/loss_schema.h"

namespace portacl::ops::regression {

using namespace families;  // NOLINT(google-build-using-namespace): rows are written in its words

inline constexpr LossRow kMseRow = {
    .about = {.formula = "(self - target)^2, for reduction 1 the mean and for 2 the sum of all",
              .special =
                  "self - target and its square are rounded to float32. Without elements the mean is NaN and the "
                  "sum 0. A mean or a sum has one element. An epsilon is 2^-23.",
              .socs = kMost},
    .errors = {2.6, 2.6, 0.51, 0}};
PORTACL_ROW(MseLoss, opapi_nn, "aclnn_mse_loss.h", Loss(kMseRow));
PORTACL_ROW(MseLossOut, opapi_nn, "aclnn_mse_loss_out.h", Loss(kMseRow));

PORTACL_ROW(
    MseLossBackward, opapi_nn, "aclnn_mse_loss_backward.h",
    LossGradient(
        {.about = {.formula = "2 * gradOutput * (self - target), for reduction 1 divided by the elements of self",
                   .special = "self - target is rounded to float32. A mean is divided by the elements of self "
                              "even where target has more. out is not summed to the shape of self.",
                   .socs = kNot910},
         .errors = {3.5, 3.5, 0.51, 0},
         .one_dtype = true}));

/// A mean of integers is refused.
aclnnStatus MeanIsOfFloats(const exec::Arguments& arguments, const exec::Step& step);

PORTACL_ROW(
    L1Loss, opapi_nn, "aclnn_l1_loss.h",
    Loss({.about = {.formula = "|self - target|, for reduction 1 the mean and for 2 the sum of all",
                    .special = "self - target is rounded to float32; between INT64 it wraps modulo 2^64, and so does "
                               "the sum. Without elements the mean is NaN and the sum 0. A mean or a sum has one "
                               "element. An epsilon is 2^-23.",
                    .socs = kMost},
          .dtypes = kFloats3 | exec::DtypeSet{ACL_INT64},
          .errors = kOneRounding,
          .reduction_first = true,
          .condition = exec::Custom("reduction: no mean where self and target are INT64", MeanIsOfFloats)}));

PORTACL_ROW(L1LossBackward, opapi_nn, "aclnn_l1_loss_backward.h",
            LossGradient({.about = {.formula = "gradOutput * sign(self - target), for reduction 1 divided by the "
                                               "elements of gradInput",
                                    .special = "The sign of 0 and of NaN is 0. gradInput is not summed to the shape of "
                                               "self.",
                                    .socs = kMost},
                          .errors = {1.6, 1.6, 0.51, 0},
                          .out = "gradInput"}));

}  // namespace portacl::ops::regression
