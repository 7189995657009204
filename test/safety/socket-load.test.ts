// The load on sockets at commit size, with its twin. CAIRN_LONG=1 takes 1,000 clients for a minute.
import { describeChecks } from './describe-checks.ts'

await describeChecks('socket-load')
