// What the seeded workspace of the screens holds of webhooks: one that reached nobody, one that is off, two receivers.
import type { ConsoleBench } from './open-console.ts'

/** Webhooks and receivers; nothing another screen changes sends one. */
export async function seedWebhooks(bench: ConsoleBench): Promise<void> {
  const url = 'https://hooks.invalid/in'
  const triggers = ['create', 'update', 'delete']
  const retryPolicy = { maxRetries: 0 }
  await bench.api('POST', '/webhooks', { name: 'shop', label: 'Book shop', object: 'bare', triggers, url, retryPolicy })
  await bench.api('POST', '/webhooks', { name: 'ledger', label: 'Ledger', url, isActive: false, triggers: ['api'] })
  for (let tries = 0; tries < 2; tries += 1) await bench.api('POST', '/webhooks/shop/test')
  const store = { action: 'upsert_record', target: 'note', mapping: { title: 'body.title' } }
  const signed = { verificationType: 'hmac', verificationParams: { secret: 'a long secret' } }
  await bench.api('POST', '/webhook-receivers', { name: 'notes', label: 'Notes', path: 'notes', ...store, ...signed })
  await bench.api('POST', '/webhook-receivers', { name: 'anybody', path: 'open/notes', ...store })
}
