// Sync while processes and networks fail, at commit size, each with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('sync-faults')
