// The channel `system` tells when a service changes its status (D-18), and what becomes of packages (D-171).
import { expect, it } from 'vitest'
import { corePlugins, optionalPlugins } from '#main/host.ts'
import { definePlugin } from '#main/kernel/plugin.ts'
import { createTestHost } from '../support/create-test-host.ts'
import { openSocket } from '../support/realtime-client.ts'

it('tells of a service that becomes degraded, and of its recovery', async () => {
  let status: 'available' | 'degraded' = 'available'
  const moody = definePlugin({
    id: 'moody',
    version: '1.0.0',
    discovery: { service: 'moody' },
    status: () => ({ status }),
    register: () => undefined,
  })
  const host = await createTestHost({ plugins: [...corePlugins, ...optionalPlugins, moody] })
  try {
    const client = await openSocket(host.host.url, { headers: { authorization: `Bearer ${host.host.token}` } })
    await client.subscribe('system')
    // The first look at every status is what changes are told from.
    await new Promise((resolve) => setTimeout(resolve, 600))
    for (const next of ['degraded', 'available'] as const) {
      const previous = status
      status = next
      const { event } = await client.until((frame) => frame.event?.payload?.status === next, 2_000)
      expect(event).toMatchObject({
        type: 'service.status_changed',
        channel: 'system',
        payload: { service: 'moody', status: next, previous },
        actor: { type: 'system' },
      })
    }
    await client.close()
  } finally {
    await host.stop()
  }
})

it('tells what becomes of packages', async () => {
  const host = await createTestHost()
  try {
    const client = await openSocket(host.host.url, { headers: { authorization: `Bearer ${host.host.token}` } })
    await client.subscribe('system')
    const manifest = {
      ...{ id: 'org.example.told', name: 'Told', version: '1.0.0', namespace: 'told' },
      metadata: [{ type: 'object', name: 'told_item', item: { fields: { title: { type: 'text' } } } }],
    }
    await host.post('/packages', { manifest })
    await host.patch(`/packages/${manifest.id}/disable`)
    await host.patch(`/packages/${manifest.id}/enable`)
    await host.delete(`/packages/${manifest.id}?keepData=false&confirm=true`)
    const { event } = await client.until((frame) => frame.event?.type === 'package.uninstalled', 2_000)
    expect(event).toMatchObject({ channel: 'system', payload: { packageId: manifest.id } })
    expect(client.events().map(({ type }) => type)).toEqual([
      'package.installed',
      'package.disabled',
      'package.enabled',
      'package.uninstalled',
    ])
    await client.close()
  } finally {
    await host.stop()
  }
})
