// When a leader may answer: nobody is shown what a failover could take back, nor what another node may have changed since.
import { platformError } from '#shared/errors.ts'
import type { Leadership } from './leadership.ts'

/**
 * Resolves when all that the file has is stored and no other node can lead yet.
 * @throws service_unavailable when that is not so in time
 */
export async function answerable({ chain, lease }: Pick<Leadership, 'chain' | 'lease'>): Promise<void> {
  try {
    await chain.settled()
  } catch (cause) {
    throw platformError('service_unavailable', { reason: 'hub_store', retryAfterSeconds: 1 }, cause)
  }
  if (!lease.holds()) throw platformError('service_unavailable', { reason: 'hub_lease', retryAfterSeconds: 1 })
}
