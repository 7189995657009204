// Owns the frame of a tile: its title, its tools, and what it says while there is nothing to show.
import { ActionIcon, Button, Menu, Tooltip } from '@mantine/core'
import { IconDots, IconTable } from '@tabler/icons-react'
import { useId } from 'react'
import type { ReactNode, Ref } from 'react'
import { Delayed } from '../../components/delayed.tsx'
import { menuOptions } from '../../components/menu-options.ts'
import { ApiError, hasCode } from '../../lib/api-error.ts'
import { problemText } from '../../lib/problem-text.ts'
import { t } from '../../lib/strings.ts'
import classes from './dashboards.module.css'

/** The frame; `items` are entries of its menu. */
export function TileFrame(props: {
  title: string
  /** How to turn between drawing and table; absent where there is only one. */
  twin?: { isTable: boolean; onTurn: () => void } | undefined
  items?: ReactNode
  children: ReactNode
  frame?: Ref<HTMLElement>
}) {
  const titleId = useId()
  const { title, twin } = props
  const turn = twin && t(twin.isTable ? 'dashboards.tile.asChart' : 'dashboards.tile.asTable', { tile: title })
  return (
    <section className={classes.tile} aria-labelledby={titleId} ref={props.frame}>
      <div className={classes.tileHead}>
        <h2 id={titleId} className={classes.tileTitle}>
          {title}
        </h2>
        <div className={classes.tileTools}>
          {twin && turn !== undefined && (
            <Tooltip label={turn}>
              <ActionIcon
                variant={twin.isTable ? 'light' : 'subtle'}
                color={twin.isTable ? undefined : 'gray'}
                size={24}
                aria-label={turn}
                onClick={twin.onTurn}
              >
                <IconTable size={16} stroke={1.75} aria-hidden />
              </ActionIcon>
            </Tooltip>
          )}
          {props.items && (
            <Menu position="bottom-end" {...menuOptions}>
              <Menu.Target>
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  size={24}
                  aria-label={t('dashboards.tile.more', { tile: title })}
                >
                  <IconDots size={16} stroke={1.75} aria-hidden />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>{props.items}</Menu.Dropdown>
            </Menu>
          )}
        </div>
      </div>
      <div className={classes.tileBody}>{props.children}</div>
    </section>
  )
}

/** One sentence in place of what a tile shows. */
export function TileNote(props: { children: ReactNode }) {
  return <p className={classes.note}>{props.children}</p>
}

/** What a tile says of a request: that it waits, that the caller may not see this, or that it failed. */
export function TileWaiting(props: { error: unknown; onRetry: () => void }) {
  const { error } = props
  if (!error) {
    return (
      <Delayed>
        <p role="status" className={classes.note}>
          {t('word.loading')}
        </p>
      </Delayed>
    )
  }
  if (isClosed(error)) return <TileNote>{t('dashboards.tile.closed')}</TileNote>
  return (
    <div role="alert" className={classes.failure}>
      <p>{problemText(error)}</p>
      <Button size="compact-xs" variant="default" onClick={props.onRetry}>
        {t('word.tryAgain')}
      </Button>
      {error instanceof ApiError && error.requestId !== '' && (
        <p>{t('problem.reference', { requestId: error.requestId })}</p>
      )}
    </div>
  )
}

function isClosed(error: unknown): boolean {
  return hasCode(error, 'permission_denied') || hasCode(error, 'resource_not_found')
}
