//! Tests of the mocks by scripted conversations, without any checker.

mod conversation;
mod faults;
mod good;
mod script;
mod streams;
mod web;
mod web_script;
