// Makes the next migration of a plugin and adds it to the ordered list: `npm run new:migration -- <plugin> <name>`.
// Released migrations are frozen; a mistake in one is corrected by the next.
import { isProgram, listFiles, repositoryRoot } from './script.ts'
import { addImport, appendToList, camelCase, readIfPresent, requireId, writeFiles } from './scaffold.ts'
import type { FilePlan } from './scaffold.ts'

/**
 * Plans the files of the next migration.
 * @throws Error when the plugin does not exist or a name is not kebab-case.
 */
export function planMigration(
  root: string,
  wantedPlugin: string | undefined,
  wantedName: string | undefined,
): FilePlan {
  const plugin = requireId(wantedPlugin, 'the id of the plugin')
  const name = requireId(wantedName, 'the name of a migration')
  const folder = `main/plugins/${plugin}`
  const index = readIfPresent(root, `${folder}/index.ts`)
  if (index === undefined) throw new Error(`there is no plugin ${plugin}`)
  const taken = listFiles(root, `${folder}/migrations`).filter((path) => /\/\d{4}-[a-z0-9-]+[.]ts$/.test(path)).length
  const number = taken + 1
  const file = `${String(number).padStart(4, '0')}-${name}.ts`
  const value = camelCase(name)
  const list = `${camelCase(plugin)}Migrations`
  const table = `${plugin.replaceAll('-', '_')}_${name.replaceAll('-', '_')}`
  const ordered = readIfPresent(root, `${folder}/migrations/index.ts`)
  const plan = new Map([
    [
      `${folder}/migrations/${file}`,
      `// Table ${table}: say what one row is.
import type { Migration } from '#main/kernel/plugin.ts'

/** One row per thing, by id. */
export const ${value}: Migration = {
  number: ${number},
  name: '${name}',
  sql: \`
    CREATE TABLE ${table} (
      id TEXT PRIMARY KEY,
      created_at TEXT NOT NULL
    ) STRICT, WITHOUT ROWID;
  \`,
}
`,
    ],
  ])
  const importLine = `import { ${value} } from './${file}'`
  if (ordered === undefined) {
    plan.set(
      `${folder}/migrations/index.ts`,
      `// The ordered list of this plugin's migrations.
import type { Migration } from '#main/kernel/plugin.ts'
${importLine}

/** In order; released entries never change. */
export const ${list}: readonly Migration[] = [${value}]
`,
    )
  } else {
    plan.set(`${folder}/migrations/index.ts`, appendToList(addImport(ordered, importLine), list, value))
  }
  if (!/\bmigrations\b/.test(index)) {
    const named = index.replace(/(\n {2}version: '[^']*',\n)/, `$1  migrations: ${list},\n`)
    plan.set(`${folder}/index.ts`, addImport(named, `import { ${list} } from './migrations/index.ts'`))
  }
  return plan
}

function main(): number {
  try {
    const plan = planMigration(repositoryRoot(), process.argv[2], process.argv[3])
    writeFiles(repositoryRoot(), plan)
    console.log([...plan.keys()].join('\n'))
    return 0
  } catch (error) {
    console.error(error instanceof Error ? error.message : error)
    return 1
  }
}

if (isProgram(import.meta.url)) process.exitCode = main()
