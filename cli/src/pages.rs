//! The pages of the repository that are generated from the tables.
