// Makes a plugin of the right shape and names it in the composition root: `npm run new:plugin -- <id>`.
// The result passes every check as it is; what it does is for you to write.
import { isProgram, repositoryRoot } from './script.ts'
import { addImport, appendToList, camelCase, pascalCase, readIfPresent, requireId, writeFiles } from './scaffold.ts'
import type { FilePlan } from './scaffold.ts'

/**
 * Plans the files of a new plugin.
 * @throws Error when the id is not kebab-case or the plugin exists.
 */
export function planPlugin(root: string, wanted: string | undefined): FilePlan {
  const id = requireId(wanted, 'the id of a plugin')
  const folder = `main/plugins/${id}`
  if (readIfPresent(root, `${folder}/index.ts`) !== undefined) throw new Error(`${folder} exists`)
  const host = readIfPresent(root, 'main/host.ts')
  if (host === undefined) throw new Error('main/host.ts is missing')
  const name = camelCase(id)
  const type = pascalCase(id)
  const key = name === id ? id : `'${id}'`
  const named = appendToList(
    addImport(host, `import { ${name}Plugin } from '#main/plugins/${id}/index.ts'`),
    'optionalPlugins',
    `${name}Plugin`,
  )
  return new Map([
    ['main/host.ts', named],
    [
      `${folder}/index.ts`,
      `// The ${id} plugin: what it needs, what it offers, and how its parts are put together.
import { definePlugin } from '#main/kernel/plugin.ts'
import { create${type}Service } from './service.ts'

/** Offers the ${id} service. */
export const ${name}Plugin = definePlugin({
  id: '${id}',
  version: '1.0.0',
  requires: [],
  register(host) {
    host.provide('${id}', create${type}Service({ clock: host.clock }))
  },
})
`,
    ],
    [
      `${folder}/api.ts`,
      `// What other plugins may ask of the ${id} service. Types only; the one file they may import.

/** The ${id} service. */
export interface ${type}Service {
  /** Instant of the call, ISO 8601 UTC: replace it with what the plugin is for. */
  now(): string
}

declare module '#main/kernel/services.ts' {
  interface ServiceRegistry {
    ${key}: ${type}Service
  }
}
`,
    ],
    [
      `${folder}/service.ts`,
      `// Rules of the ${id} plugin. Knows no HTTP and no SQL: routes.ts translates requests, store.ts owns statements.
import type { Clock } from '#main/kernel/clock.ts'
import type { ${type}Service } from './api.ts'

/** What the service is made of. */
export interface ${type}Parts {
  clock: Clock
}

/** Makes the ${id} service. */
export function create${type}Service(parts: ${type}Parts): ${type}Service {
  return { now: () => parts.clock.iso() }
}
`,
    ],
    [
      `${folder}/service.test.ts`,
      `import { describe, expect, it } from 'vitest'
import { createManualClock } from '#main/kernel/clock.ts'
import { create${type}Service } from './service.ts'

describe('${id} service', () => {
  it('answers the instant of the clock it was given', () => {
    const service = create${type}Service({ clock: createManualClock(0) })
    expect(service.now()).toBe('1970-01-01T00:00:00.000Z')
  })
})
`,
    ],
    [
      `${folder}/README.md`,
      `# ${id}

What this plugin is for, in one sentence.

| | |
|---|---|
| Requires | none |
| Tables | none |
| Routes | none yet |
| Events in | none |
| Events out | none |
| Service | \`${id}\` |

## Rules implemented

None yet: name each D-nn here and cite it where the code implements it.
`,
    ],
  ])
}

function main(): number {
  try {
    const id = process.argv[2]
    const plan = planPlugin(repositoryRoot(), id)
    writeFiles(repositoryRoot(), plan)
    console.log([...plan.keys()].join('\n'))
    console.log(
      `\nNext: routes in shared/contracts/${id}.ts and routes.ts, tables with npm run new:migration -- ${id} <name>`,
    )
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

if (isProgram(import.meta.url)) process.exitCode = main()
