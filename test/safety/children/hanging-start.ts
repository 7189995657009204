// The twin of the start check: a program that waits for a taken port for ever and knows no other start of itself.
import { createServer } from 'node:net'

const flag = process.argv.indexOf('--port')
const port = Number(process.argv[flag + 1])

function listen(): void {
  const server = createServer()
  server.once('error', () => setTimeout(listen, 100))
  server.listen(port, '127.0.0.1')
}
listen()
