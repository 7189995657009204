// A full disk at commit size, with its twins. CAIRN_LONG=1 fills a real one, where root may mount it.
import { describeChecks } from './describe-checks.ts'

await describeChecks('disk')
