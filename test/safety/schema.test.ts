// The checks of schema changes at commit size, each with its twin. CAIRN_LONG=1 takes a million rows.
import { describeChecks } from './describe-checks.ts'

await describeChecks('schema')
