// The durability checks at commit size, each with its twin. CAIRN_LONG=1 runs 100 kills.
import { describeChecks } from './describe-checks.ts'

await describeChecks('durability')
