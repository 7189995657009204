// Opens a connection that only folds the log: without the functions of queries, whose modules would make a thread for
// it three times as large and slow to start.
import BetterSqlite3 from 'better-sqlite3'

/**
 * Opens a file that the host has open and has checked already.
 * @param durable false gives up durability for speed: only for throw-away databases of tests
 */
export function openBare(file: string, durable: boolean): BetterSqlite3.Database {
  const connection = new BetterSqlite3(file, { fileMustExist: true })
  connection.pragma(`synchronous = ${durable ? 'FULL' : 'OFF'}`)
  if (process.platform === 'darwin') {
    connection.pragma('fullfsync = ON')
    connection.pragma('checkpoint_fullfsync = ON')
  }
  connection.pragma('trusted_schema = OFF')
  // It holds no pages: they pass from the log to the file.
  connection.pragma('cache_size = -64')
  return connection
}
