// The load on sockets at commit size, with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('socket-load')
