// Setup of every test file: leaves to the long run what `long-run.ts` lists. Knows no test.
import { beforeEach } from 'vitest'
import { leaveToLongRun } from './long-run.ts'

beforeEach((test) => leaveToLongRun(test, test.task.file.name.replaceAll('\\', '/')))
