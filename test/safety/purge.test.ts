// What a purge leaves, at commit size, with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('purge')
