// Owns what the other device has to be told: the code in large digits, the addresses, the link with its picture, and how
// long and how often the code may be tried.
import { CopyField } from '../../components/copy-field.tsx'
import { Notice } from '../../components/notice.tsx'
import { QrPicture } from '../../components/qr-picture.tsx'
import parts from '../../components/parts.module.css'
import { t, tn } from '../../lib/strings.ts'
import { Digits } from './pairing-steps.tsx'
import { Step } from './step.tsx'
import type { Invite } from './sync-queries.ts'
import { countdownText, groupFingerprint } from './sync-words.ts'
import { useNow } from './use-now.ts'
import classes from './sync.module.css'

const secondMs = 1_000
const soonMs = 30_000
const allTries = 3

/** The step. */
export function InviteCode(props: { invite: Invite; triesLeft: number; expiresAt: string }) {
  const { invite, triesLeft } = props
  const leftMs = Date.parse(props.expiresAt) - useNow(secondMs).getTime()
  return (
    <Step title={t('pair.step.code')}>
      <p className={classes.text}>{t('pair.invite.lead')}</p>
      <Digits digits={invite.code} label="pair.code.spelled" />
      <p className={`${classes.left} cairn-numbers`}>
        <span>{t('pair.left', { time: countdownText(leftMs) })}</span>
        <span>{tn('pair.tries', triesLeft)}</span>
      </p>
      <span className="cairn-hidden" role="status">
        {leftMs <= soonMs && leftMs > 0 ? t('pair.left.soon') : ''}
      </span>
      {triesLeft < allTries && (
        <Notice tone="warn" live>
          {tn('pair.tries.fewer', triesLeft)}
        </Notice>
      )}
      <div className={classes.ways}>
        <div className={classes.wayFacts}>
          <dl className={parts.facts}>
            {invite.addresses.length > 0 && (
              <>
                <dt>{t('pair.addresses')}</dt>
                <dd>
                  {invite.addresses.map((address) => (
                    <code key={address} className={classes.place}>
                      {address}
                    </code>
                  ))}
                </dd>
              </>
            )}
            {invite.relay !== undefined && (
              <>
                <dt>{t('pair.relay')}</dt>
                <dd>
                  <code className={classes.place}>{invite.relay}</code>
                </dd>
              </>
            )}
            <dt>{t('pair.fingerprint')}</dt>
            <dd>
              <code className={classes.fingerprint}>{groupFingerprint(invite.fingerprint)}</code>
            </dd>
          </dl>
          <CopyField
            label={t('word.link')}
            description={t(invite.relay === undefined ? 'pair.link.help' : 'pair.link.help.relay')}
            value={invite.link}
          />
        </div>
        <div className={classes.qr}>
          <QrPicture text={invite.link} label={t('pair.qr')} />
        </div>
      </div>
    </Step>
  )
}
