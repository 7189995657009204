// Setup of every test file: leaves to the long run what `long-run.ts` lists. Knows no test.
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach } from 'vitest'
import { leaveToLongRun } from './long-run.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

beforeEach((test) => leaveToLongRun(test, relative(root, test.task.file.filepath).replaceAll('\\', '/')))
