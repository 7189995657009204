// A full disk at commit size, with its twins. A long run fills a real one, where root may mount it.
import { describeChecks } from './describe-checks.ts'

await describeChecks('disk')
