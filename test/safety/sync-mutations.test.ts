// Guards of sync that twins take out are worded as the twins know them: a twin itself runs only when its check changed.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { allMutations } from './sync/mutations.ts'

it.each(allMutations.map(([guard, { file, from }]) => [guard, file, from] as const))(
  'takes %s out of %s',
  (_guard, file, from) => {
    expect(readFileSync(new URL(`../../main/${file}`, import.meta.url), 'utf8')).toContain(from)
  },
)
