// Owns the German words of the area problems.
import type { problemStrings } from '../en/problems.ts'

/** The German words of {@link problemStrings}. */
export const problemGerman: Record<keyof typeof problemStrings, string> = {
  'problem.unreachable':
    'Cairn antwortet nicht. Nichts wurde geändert; neu starten oder kurz warten, dann erneut versuchen.',
  'problem.invalid_answer':
    'Die Antwort des Hosts war nicht lesbar. Seite neu laden; bleibt es dabei, Cairn neu starten.',
  'problem.unauthenticated': 'Die Sitzung ist beendet. Gespeichertes bleibt; zum Fortfahren neu anmelden.',
  'problem.invalid_credentials': 'Die Eingabe stimmt nicht. Nichts wurde geändert; prüfen und erneut versuchen.',
  'problem.token_invalid': 'Der Link oder Code ist verbraucht, abgelaufen oder falsch. Einen neuen anfordern.',
  'problem.invalid_username': 'Ein Benutzername hat 3 bis 30 Kleinbuchstaben, Ziffern, Punkte oder Unterstriche.',
  'problem.account_banned': 'Dieses Konto ist ausgesperrt. Frage, wer die Konten dieses Arbeitsbereichs verwaltet.',
  'problem.user_already_exists': 'Ein Konto mit dieser Adresse oder diesem Benutzernamen gibt es schon.',
  'problem.permission_denied': 'Deine Rechte erlauben das nicht. Nichts wurde geändert.',
  'problem.origin_forbidden':
    'Die Seite wurde unter einer Adresse geöffnet, der Cairn nicht vertraut. Den ausgegebenen Link verwenden.',
  'problem.resource_not_found': 'Es existiert nicht mehr. Es wurde inzwischen vielleicht gelöscht oder umbenannt.',
  'problem.validation_error':
    'Einige Werte werden nicht angenommen. Nichts wurde geändert; berichtigen und erneut versuchen.',
  'problem.invalid_query': 'Filter oder Sortierung wird nicht angenommen. Ändern oder leeren.',
  'problem.conflict': 'Es stößt mit etwas Vorhandenem zusammen. Nichts wurde geändert.',
  'problem.not_unique': 'Ein anderer Datensatz hat diesen Wert schon, und er muss eindeutig sein.',
  'problem.CONCURRENT_UPDATE':
    'Seit dem Öffnen wurde es anderswo geändert. Deine Eingabe bleibt; wähle, welche Fassung gilt.',
  'problem.delete_restricted': 'Andere Datensätze verweisen noch darauf, deshalb wurde nicht gelöscht.',
  'problem.destructive_change':
    'Die Änderung würde Daten vernichten und ist zuerst zu bestätigen. Nichts wurde geändert.',
  'problem.record_locked': 'Der Datensatz ist gesperrt, solange er auf Genehmigung wartet.',
  'problem.transition_not_available':
    'Der Datensatz hat inzwischen einen anderen Status, dieser Schritt ist von dort nicht möglich.',
  'problem.transition_denied': 'Dieser Schritt ist Personen mit anderen Rollen vorbehalten. Nichts wurde geändert.',
  'problem.transition_condition_failed':
    'Der Datensatz erfüllt die Bedingung dieses Schritts noch nicht. Nichts wurde geändert; zuerst ausfüllen, was verlangt ist.',
  'problem.comment_required': 'Ein Kommentar ist nötig. Nichts wurde geändert.',
  'problem.approval_pending': 'Eine Genehmigung ist schon angefragt; der Status bleibt, bis sie entschieden ist.',
  'problem.approval_not_assigned': 'Diese Genehmigung entscheiden andere.',
  'problem.approval_already_decided': 'Diese Genehmigung ist schon entschieden.',
  'problem.item_locked': 'Es gehört zu einem Paket und lässt sich nicht ändern.',
  'problem.payload_too_large': 'Das ist mehr, als Cairn auf einmal annimmt. Nichts wurde geändert; weniger senden.',
  'problem.rate_limit_exceeded': 'Zu viele Anfragen in kurzer Zeit. Kurz warten, dann erneut versuchen.',
  'problem.timeout': 'Es dauerte zu lange und wurde angehalten. Suche oder Filter eingrenzen, dann erneut versuchen.',
  'problem.service_unavailable': 'Cairn ist gerade beschäftigt. Nichts wurde geändert; gleich erneut versuchen.',
  'problem.disk_full':
    'Der Datenträger des Rechners, auf dem Cairn läuft, ist voll, deshalb wurde das nicht gespeichert. Alles zuvor Gespeicherte bleibt; dort Platz schaffen, dann erneut versuchen.',
  'problem.sync_disabled': 'Sync ist auf diesem Gerät aus. Unter „Sync & Geräte“ einschalten.',
  'problem.sync_conflict_not_found':
    'Der Konflikt ist weg: Er wurde anderswo entschieden, oder sein Datensatz wurde entfernt.',
  'problem.pairing_not_found': 'Der Code ist abgelaufen oder verbraucht. Auf dem anderen Gerät einen neuen erstellen.',
  'problem.pairing_refused': 'Die Geräte wurden nicht verbunden. Auf keinem wurde etwas geändert.',
  'problem.not_implemented': 'Diese Version von Cairn kann das noch nicht. Nichts wurde geändert.',
  'problem.internal_error':
    'Cairn ist daran gescheitert. Nichts wurde geändert; erneut versuchen und, wenn es bleibt, ins Protokoll sehen.',
  'problem.other': 'Es hat nicht geklappt ({code}): {message}',
  'problem.reference': 'Referenz {requestId}',
  'problem.field': '{field}: {message}',
  'field.code.required': 'Ein Wert ist erforderlich.',
  'field.code.not_unique': 'Ein anderer Datensatz hat diesen Wert schon.',
  'field.code.invalid_type': 'Der Wert hat die falsche Art.',
  'field.code.invalid_number': 'Das ist keine Zahl.',
  'field.code.invalid_boolean': 'Das ist weder ja noch nein.',
  'field.code.invalid_date': 'Das ist kein Datum.',
  'field.code.invalid_datetime': 'Das ist kein Datum mit Uhrzeit.',
  'field.code.invalid_email': 'Das ist keine E-Mail-Adresse.',
  'field.code.invalid_url': 'Das ist keine vollständige Adresse.',
  'field.code.invalid_option': 'Das steht nicht zur Auswahl.',
  'field.code.invalid_reference': 'Den Datensatz, auf den verwiesen wird, gibt es nicht.',
  'field.code.unknown_field': 'Dieses Feld gibt es nicht.',
  'field.code.read_only': 'Dieses Feld lässt sich nicht ändern.',
  'field.code.max_length': 'Der Text ist zu lang.',
  'field.code.min_length': 'Der Text ist zu kurz.',
  'field.code.max_value': 'Der Wert ist zu hoch.',
  'field.code.min_value': 'Der Wert ist zu niedrig.',
}
