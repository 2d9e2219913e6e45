#!/usr/bin/env node
// Counts phrases that outside readers stumble over, in prose, comments, messages and identifiers. Exports `countIn`.
//   npm run words -- [folder or file ...]     default: README.md, docs, src, schemas, examples, test and the texts at the top
//   --list     prints every place, not only the counts
//   --max N    exit code 1 if there are more than N places
// A hit is a place to check: some phrases are right now and then ("a hand-written parser").
