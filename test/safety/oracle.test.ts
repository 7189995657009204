// The oracle matrix at commit size, with its twins.
import { describeChecks } from './describe-checks.ts'

await describeChecks('oracle')
