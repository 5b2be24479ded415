// Answers every turn with nothing: what it takes is the client library's own time.
//
//     node empty.mjs GAME

import { connect } from "lanista-client";

const arena = await connect({ name: "Empty", game: process.argv[2] });
for await (const _ of arena) arena.send([]);
