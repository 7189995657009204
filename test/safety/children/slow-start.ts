// The twin of the restart check: a server that takes its time before it answers.
import { setTimeout as pause } from 'node:timers/promises'

await pause(2500)
await import('./careless-server.ts')
