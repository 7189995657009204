// Setup of the run through the door of a hub: leaves out what `door-exceptions.ts` lists, and notes what each test asked.
import { afterEach, beforeEach } from 'vitest'
import { doorCount, doorFailures } from './door-count.ts'
import { testsBeside } from './door-exceptions.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What a test asked through the door of a hub. */
    door?: typeof doorCount & { readonly failures: readonly string[] }
  }
}

let before = { ...doorCount }

beforeEach((test) => {
  const file = test.task.file.name.replaceAll('\\', '/')
  const listed = testsBeside.flatMap((tests) => Object.entries(tests[file] ?? {}))
  const reason = listed.find(([title]) => test.task.name.startsWith(title))?.[1]
  if (reason !== undefined) test.skip(reason) // reason: it is in the list
})

afterEach(({ task }) => {
  const { asked, handovers, repeatable } = doorCount
  task.meta.door = {
    asked: asked - before.asked,
    handovers: handovers - before.handovers,
    repeatable: repeatable - before.repeatable,
    failures: doorFailures.splice(0),
  }
  before = { ...doorCount }
})
