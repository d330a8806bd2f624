// SPDX-License-Identifier: Apache-2.0
#include "torch/client.h"

#include <gtest/gtest.h>

#include <functional>

namespace kp::torch {
namespace {

using Json = nlohmann::json;

/// Somebody who has PyTorch and answers as a test tells.
class Told : public Conversation {
 public:
  std::function<Json(const Request&)> tell;
  Request last;

  Result<Answer> ask(const Request& request) override {
    last = request;
    const std::string verb = request.body.value("do", "");
    if (verb == "open")
      return Answer{{{"python", "python3"},
                     {"python_version", "3.11"},
                     {"torch_version", "2.11"},
                     {"device", "a GPU"},
                     {"cuda", true},
                     {"compile", true}}};
    if (verb == "load") return Answer{{{"constants", Json::object()}}};
    return Answer{tell(request)};
  }
};

class Sharing : public testing::Test {
 protected:
  void SetUp() override {
    auto conversation = std::make_unique<Told>();
    told_ = conversation.get();
    worker_ = *make_client(std::move(conversation), "cuda:0");
    ASSERT_TRUE(write_file(folder_.path() / "task.py", "class Model: ..."));
    request_.problem = worker_->load(folder_.path() / "task.py")->number;
    request_.constants = {{"N", 4}};
    request_.memory = {{11, 2 << 20}, {12, 4 << 20}};
    request_.inputs = {{"x", "float64", 4, 512, 0}};
    request_.outputs = {{"out", "int64", 4, 0, 1}};
    request_.numbers = {{"factor", INFINITY}};
  }

  TemporaryFolder folder_ = *TemporaryFolder::make();
  Told* told_ = nullptr;
  std::unique_ptr<Worker> worker_;
  SharedComputation request_;
};

TEST_F(Sharing, TellsWhereArraysLieAndSendsTheirMemoryAlong) {
  told_->tell = [](const Request&) { return Json{{"keeps", 77}}; };
  const auto kept = worker_->arbiter().answer(request_);
  ASSERT_TRUE(kept) << kept.error().text();
  EXPECT_EQ(*kept, 77u);
  EXPECT_EQ(told_->last.descriptors, (std::vector<int>{11, 12}));
  const Json& body = told_->last.body;
  EXPECT_EQ(body["do"], "answer");
  EXPECT_EQ(body["constants"], (Json{{"N", 4}}));
  EXPECT_EQ(body["memory"], (Json{2 << 20, 4 << 20}));
  const Json x = {
      {"name", "x"}, {"dtype", "float64"}, {"count", 4}, {"offset", 512}, {"memory", 0}};
  EXPECT_EQ(body["inputs"], Json::array({x}));
  EXPECT_EQ(body["outputs"][0]["memory"], 1);
  EXPECT_EQ(body["numbers"]["factor"], "inf");
}

TEST_F(Sharing, AnAnswerMustSayHowMuchItKeeps) {
  for (const Json& keeps : {Json(-1), Json("much"), Json()}) {
    told_->tell = [&](const Request&) { return Json{{"keeps", keeps}}; };
    const auto kept = worker_->arbiter().answer(request_);
    ASSERT_FALSE(kept) << keeps;
    EXPECT_EQ(kept.error().code, ErrorCode::kCorrupt);
  }
}

TEST_F(Sharing, WhatIsKeptIsAskedBack) {
  told_->tell = [](const Request&) { return Json::object(); };
  EXPECT_TRUE(worker_->arbiter().release());
  EXPECT_EQ(told_->last.body["do"], "free");
}

TEST_F(Sharing, RefusesAProblemThatWasNeverLoaded) {
  request_.problem = 7;
  EXPECT_EQ(worker_->arbiter().answer(request_).error().code, ErrorCode::kInvalidInput);
}

}  // namespace
}  // namespace kp::torch
