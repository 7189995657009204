// Entry of the process that alters large tables: statements in one transaction on the file named by its arguments.
// Knows no host, no actors, no HTTP; the host keeps its own writers waiting meanwhile.
import type { DdlReply, DdlRequest } from '#main/database/long-ddl.ts'
import { openWriter } from '#main/database/open.ts'
import type { Connection } from '#main/database/open.ts'
import { createIndexBuild } from '#main/database/schema/index-build.ts'
import type { IndexBuild } from '#main/database/schema/index-build.ts'
import { endWithParent } from './end-with-parent.ts'

const file = process.argv[2]
if (file === undefined || process.send === undefined) {
  process.stderr.write('The process for large tables is started by the host only.\n')
  process.exit(1)
}
const durable = process.argv[3] !== 'fast'

const foldPatienceMs = 20
const usualPatienceMs = 5_000

process.umask(0o077)

let connection: Connection | undefined
let build: IndexBuild | undefined
const reply = (message: DdlReply): void => {
  process.send?.(message)
}

process.on('message', (message) => reply(run(message as DdlRequest)))
process.on('disconnect', () => process.exit(0))
endWithParent()
reply('ready')

function run(request: DdlRequest): DdlReply {
  try {
    connection ??= openForDdl()
    const open = connection
    if (request === 'checkpoint') {
      // The next writer begins the log anew. A reader of an older state is not waited for long: writers wait with it.
      open.pragma(`busy_timeout = ${foldPatienceMs}`)
      try {
        open.pragma('wal_checkpoint(RESTART)')
      } finally {
        open.pragma(`busy_timeout = ${usualPatienceMs}`)
      }
      return { ok: true }
    }
    if (request === 'sort' || request === 'slice' || request === 'finish') {
      if (build === undefined) throw new Error('No index is being built.')
      const isMore = build[request]() === true
      return { ok: true, isMore }
    }
    if ('index' in request) {
      build = createIndexBuild(open, request.index)
      build.begin()
      return { ok: true }
    }
    open
      .transaction(() => {
        for (const sql of request.statements) open.exec(sql)
      })
      .immediate()
    return { ok: true }
  } catch (error) {
    const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : null
    return { ok: false, code, message: error instanceof Error ? error.message : String(error) }
  }
}

/** Folds the log in only when told to. */
function openForDdl(): Connection {
  const fresh = openWriter(file!, { durable })
  fresh.pragma('wal_autocheckpoint = 0')
  return fresh
}
