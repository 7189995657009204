// Global setup of the run through the door of a hub (CAIRN_DOOR): the PostgreSQL that the nodes of all tests share.
import { startPostgres } from './postgres-cluster.ts'

/** Starts it, and tells the processes of tests where it is. @returns what ends it */
export async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env['CAIRN_DOOR'] === undefined) return undefined
  // Four connections a node, of as many hosts as the tests of all processes have at once.
  const cluster = await startPostgres(['max_connections = 400'])
  process.env['CAIRN_DOOR_POSTGRES'] = cluster.url
  return () => cluster.remove()
}
