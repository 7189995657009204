// The check on requests to addresses people chose, at commit size, with its twin.
import { describeChecks } from './describe-checks.ts'

await describeChecks('ssrf')
