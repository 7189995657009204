// Setup of the run through the door of a hub: leaves out what `door-exceptions.ts` lists, and notes what each test asked.
import { afterEach, beforeEach } from 'vitest'
import { doorCount, doorFailures } from './door-count.ts'
import { testsBesideDoor } from './door-exceptions.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** What a test asked through the door of a hub. */
    door?: typeof doorCount & { readonly failures: readonly string[] }
  }
}

let before = { ...doorCount }

beforeEach((test) => {
  const listed = Object.entries(testsBesideDoor[test.task.file.name.replaceAll('\\', '/')] ?? {})
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
