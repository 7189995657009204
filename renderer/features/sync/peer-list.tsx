// Owns the list of the other devices: how each stands, and what can be done with it.
import { ActionIcon, Menu } from '@mantine/core'
import { IconCloud, IconDeviceDesktop, IconDots, IconServer } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { ListTable } from '../../components/list-table.tsx'
import { useMenu } from '../../components/menu-options.ts'
import { EmptyState, LoadFailure } from '../../components/notice.tsx'
import parts from '../../components/parts.module.css'
import { t } from '../../lib/strings.ts'
import { PeerDialog } from './peer-dialog.tsx'
import type { PeerTask } from './peer-dialog.tsx'
import { peersQuery } from './sync-queries.ts'
import type { SyncPeer } from './sync-queries.ts'
import { clockText, shortMoment, reasonText, stepTexts } from './sync-words.ts'
import { usePeerActions } from './use-peer-actions.ts'
import classes from './sync.module.css'

const pictures = { device: IconDeviceDesktop, relay: IconCloud, hub: IconServer } as const

/** The list. */
export function PeerList(props: { mayManage: boolean; now: Date }) {
  const { data: peers, error, refetch } = useQuery(peersQuery)
  const [task, setTask] = useState<PeerTask>()
  const columns = [
    { label: t('word.device') },
    { label: t('word.state') },
    { label: t('peers.step') },
    { label: t('peers.seen') },
    ...(props.mayManage ? [{ label: t('word.actions'), hidden: true }] : []),
  ]
  return (
    <section className={parts.section} aria-labelledby="sync-peers">
      <h2 id="sync-peers">{t('peers.title')}</h2>
      {error && !peers && <LoadFailure error={error} onRetry={() => void refetch()} />}
      {peers?.length === 0 && (
        <EmptyState title={t('peers.none')} icon={<IconDeviceDesktop size={32} stroke={1.5} aria-hidden />}>
          {t('peers.none.text')}
        </EmptyState>
      )}
      {peers && peers.length > 0 && (
        <>
          <p className={parts.lead}>{t('peers.all')}</p>
          <ListTable label={t('peers.list')} columns={columns}>
            {peers.map((peer) => (
              <PeerLine
                key={peer.id}
                peer={peer}
                now={props.now}
                onTask={props.mayManage ? (kind) => setTask({ kind, peer }) : undefined}
              />
            ))}
          </ListTable>
        </>
      )}
      <PeerDialog task={task} onClose={() => setTask(undefined)} />
    </section>
  )
}

function PeerLine(props: {
  peer: SyncPeer
  now: Date
  /** Absent for people who may not change anything. */
  onTask: ((kind: PeerTask['kind']) => void) | undefined
}) {
  const { peer, now } = props
  const Picture = pictures[peer.kind]
  const clock = clockText(peer)
  const under = [peer.user?.name ?? t(`peers.kind.${peer.kind}`), peer.address].filter(Boolean).join(' · ')
  return (
    <tr>
      <th scope="row">
        <span className={classes.peer}>
          <Picture size={18} stroke={1.75} aria-hidden />
          <span>
            {peer.name}
            <span className={parts.under}>{under}</span>
          </span>
        </span>
      </th>
      <td>
        <span className={classes.peerState} data-state={peer.state}>
          {stateOf(peer)}
        </span>
        {clock && <span className={classes.warning}>{clock}</span>}
        {peer.lastError && peer.state !== 'connected' && (
          <span className={parts.under}>{t('peers.error', { error: reasonText(peer.lastError.reason) })}</span>
        )}
      </td>
      <td className="cairn-numbers">
        {stepTexts(peer).map((line) => (
          <span key={line} className={parts.address}>
            {line}
          </span>
        ))}
      </td>
      <td data-time>{peer.lastSeenAt === null ? t('word.never') : shortMoment(peer.lastSeenAt, now)}</td>
      {props.onTask && (
        <td data-end>
          <PeerMenu peer={peer} onTask={props.onTask} />
        </td>
      )}
    </tr>
  )
}

function PeerMenu(props: { peer: SyncPeer; onTask: (kind: PeerTask['kind']) => void }) {
  const { peer } = props
  const { check, pause, reconnect, remove } = usePeerActions(peer)
  const isPaused = peer.state === 'paused'
  const button = useRef<HTMLButtonElement>(null)
  const { options, after } = useMenu(button)
  return (
    // Fixed: the table scrolls sideways by itself and would cut the menu off.
    <Menu position="bottom-end" {...options} floatingStrategy="fixed">
      <Menu.Target>
        <ActionIcon
          ref={button}
          variant="subtle"
          color="gray"
          size={30}
          c="var(--cairn-text-quiet)"
          className={classes.peerMenu}
          aria-label={t('peers.more', { name: peer.name })}
        >
          <IconDots size={18} stroke={1.75} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {peer.state === 'connected' && <Menu.Item onClick={check}>{t('peers.check')}</Menu.Item>}
        {peer.state !== 'connected' && !isPaused && <Menu.Item onClick={reconnect}>{t('peers.reconnect')}</Menu.Item>}
        <Menu.Item onClick={() => pause(!isPaused)}>{t(isPaused ? 'peers.resume' : 'peers.pause')}</Menu.Item>
        {peer.kind !== 'relay' && (
          <>
            <Menu.Item onClick={after(() => props.onTask('rename'))}>{t('word.renameDots')}</Menu.Item>
            <Menu.Item onClick={after(() => props.onTask('address'))}>{t('peers.address')}</Menu.Item>
            <Menu.Item onClick={after(remove)}>{t('word.removeDots')}</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  )
}

function stateOf({ kind, state, via }: SyncPeer): string {
  if (kind !== 'relay' && state === 'connected' && via)
    return t('peers.state.connected.via', { via: t(`peers.via.${via}`) })
  return t(`peers.state.${state}`)
}
