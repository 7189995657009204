// A host as somebody who is not root, to whom the rights of files apply. Tells its parent its address, or why it did not
// start. With `--careless` it opens the folder for writing, whatever its rights are.
import { join } from 'node:path'
import { openDataDir } from '#main/data-dir.ts'
import { openWriter } from '#main/database/open.ts'
import { startHost } from '#main/index.ts'
import type { RunningHost } from '#main/index.ts'

const [user, careless] = process.argv.slice(2)
if (user !== undefined && user !== '') {
  process.setgroups?.([])
  process.setgid?.(Number(user))
  process.setuid?.(Number(user))
}

let host: RunningHost | undefined
const answer = async (message: { start?: string }): Promise<object> => {
  if (message.start === undefined) {
    await host?.stop()
    return {}
  }
  if (careless === '--careless') {
    openDataDir(message.start)
    openWriter(join(message.start, 'cairn.db')).exec('CREATE TABLE t (a)')
  }
  host = await startHost({ dataDir: message.start, port: 0 })
  return { url: host.url, token: host.token, isReadOnly: host.isReadOnly }
}
process.on('message', (message: { start?: string }) => {
  answer(message).then(
    (reply) => process.send?.(reply),
    (error: Error) => {
      if (careless === '--careless') throw error
      process.send?.({ failure: error.message })
    },
  )
})
