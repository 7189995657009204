// The checks of sockets and streams at commit size, each with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('sockets')
