#!/usr/bin/env node
import { processIo, runProgram } from '../dist/src/core/cli.js';
import { createProgram } from '../dist/src/clirag/cli.js';

process.exitCode = await runProgram(createProgram, process.argv.slice(2), processIo());
