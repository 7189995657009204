// Owns the German words of the area live-text.
import type { liveTextStrings } from '../en/live-text.ts'

/** The German words of {@link liveTextStrings}. */
export const liveTextGerman: Record<keyof typeof liveTextStrings, string> = {
  'live.connecting': 'Der Text wird geöffnet',
  'live.keys': 'Wird beim Tippen gespeichert. Esc verlässt den Text.',
  'live.readOnly': 'Du darfst diesen Text lesen, nicht ändern.',
  'live.others': 'Auch in diesem Text: {names}',
  'live.offline': 'Keine Verbindung. Was du tippst, wird gespeichert, sobald sie zurück ist.',
  'live.offline.unstored': 'Keine Verbindung: Das Getippte ist noch nicht gespeichert.',
  'live.refused': 'Nicht gespeichert: {reason}',
  'live.left':
    '„{field}“ ist nicht gespeichert: {reason} Zum Fortfahren erneut öffnen; der Text bleibt, solange dieses Fenster offen ist.',
  'live.refused.unknown': 'der Datensatz nimmt es nicht an.',
  'live.full': 'In diesem Feld ist kein Platz mehr.',
  'live.copy': 'Das Getippte ist noch hier: vor dem Verlassen kopieren.',
  'live.end.gone': 'Dieser Datensatz oder dieses Feld ist nicht mehr da.',
  'live.end.forbidden': 'Du darfst diesen Text nicht mehr ändern.',
  'live.end.too-large': 'Dieser Text ist zu groß, um ihn gemeinsam zu bearbeiten.',
  'live.end.refused': 'Der Host nimmt nicht an, was diese Seite sendet.',
  'live.end.unavailable': 'Dieser Text lässt sich nicht gemeinsam bearbeiten.',
}
