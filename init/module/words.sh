# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What the installer, the uninstaller and the action button say, in the phone's language; English is the
# default. `say KEY [VALUE]` prints one line. A test holds every language to the same keys and values.
LANGUAGE=$(getprop persist.sys.locale 2>/dev/null)
[ -n "$LANGUAGE" ] || LANGUAGE=$(getprop ro.product.locale 2>/dev/null)

say() {
  case ${LANGUAGE%%[-_]*} in
    de) say_de "$@" ;;
    zh) say_zh "$@" ;;
    *) say_en "$@" ;;
  esac
}

say_en() {
  case $1 in
    refused) echo "framegov is not installed: $2" ;;
    unchanged) echo "Nothing on this phone was changed." ;;
    other_cpu) echo "it needs a 64-bit ARM phone; this one is $2." ;;
    old_android) echo "it needs Android 10 (API 29) or newer; this one has API $2." ;;
    recovery) echo "install it from the root manager's app while Android runs; a recovery cannot examine the phone." ;;
    kept) echo "- Your settings in $2 are kept" ;;
    unreadable) echo "! This version cannot read them; once they are corrected, framegov starts after the next reboot:" ;;
    settings) echo "- Settings: $2" ;;
    examining) echo "- Examining the phone" ;;
    fit) echo "  framegov can govern this phone" ;;
    zygisk_next) echo "  Frames are seen from within the apps (service.source: zygisk) once Zygisk has loaded framegov at the next start" ;;
    lacking) echo "this phone lacks what is listed above." ;;
    failed) echo "the examination failed. Please report the lines above." ;;
    reboot) echo "- It starts after the next reboot" ;;
    running) echo "framegovd is running (process $2)" ;;
    not_running) echo "framegovd is not running" ;;
    log) echo "The last lines of $2:" ;;
    no_log) echo "(none)" ;;
    last_words) echo "Its last words:" ;;
    keep) echo "Your profiles go with the module, unless there is a file $2 (touch makes it)." ;;
    keeping) echo "Your settings and profiles stay when the module is removed: there is a file $2." ;;
    stays) echo "framegov: your settings and profiles stay in $2" ;;
    limits_left) echo "framegov: some limits are not back; a reboot puts them back" ;;
    respawned) echo "framegov: something starts framegovd again and again (process $2)." ;;
    respawned_stays) echo "framegov: it still runs, and $2 stays. Remove what starts it, reboot, and delete that folder." ;;
  esac
}

say_de() {
  case $1 in
    refused) echo "framegov wird nicht installiert: $2" ;;
    unchanged) echo "An diesem Telefon wurde nichts geändert." ;;
    other_cpu) echo "es braucht ein 64-Bit-ARM-Telefon; dieses ist $2." ;;
    old_android) echo "es braucht Android 10 (API 29) oder neuer; dieses hat API $2." ;;
    recovery) echo "installieren Sie es in der App des Root-Managers, während Android läuft; ein Recovery kann das Telefon nicht prüfen." ;;
    kept) echo "- Ihre Einstellungen in $2 bleiben" ;;
    unreadable) echo "! Diese Version kann sie nicht lesen; sind sie berichtigt, startet framegov nach dem nächsten Neustart:" ;;
    settings) echo "- Einstellungen: $2" ;;
    examining) echo "- Das Telefon wird geprüft" ;;
    fit) echo "  framegov kann dieses Telefon regeln" ;;
    zygisk_next) echo "  Bilder werden aus den Apps heraus gesehen (service.source: zygisk), sobald Zygisk framegov beim nächsten Start geladen hat" ;;
    lacking) echo "diesem Telefon fehlt, was oben steht." ;;
    failed) echo "die Prüfung ist gescheitert. Bitte melden Sie die Zeilen oben." ;;
    reboot) echo "- Es beginnt nach dem nächsten Neustart" ;;
    running) echo "framegovd läuft (Prozess $2)" ;;
    not_running) echo "framegovd läuft nicht" ;;
    log) echo "Die letzten Zeilen von $2:" ;;
    no_log) echo "(keine)" ;;
    last_words) echo "Seine letzten Worte:" ;;
    keep) echo "Ihre Profile gehen mit dem Modul, außer es gibt eine Datei $2 (touch legt sie an)." ;;
    keeping) echo "Ihre Einstellungen und Profile bleiben, wenn das Modul entfernt wird: Es gibt die Datei $2." ;;
    stays) echo "framegov: Ihre Einstellungen und Profile bleiben in $2" ;;
    limits_left) echo "framegov: Einige Grenzen stehen noch; ein Neustart stellt sie zurück" ;;
    respawned) echo "framegov: Etwas startet framegovd immer wieder (Prozess $2)." ;;
    respawned_stays) echo "framegov: Es läuft noch, und $2 bleibt. Entfernen Sie, was es startet, starten Sie neu und löschen Sie den Ordner." ;;
  esac
}

say_zh() {
  case $1 in
    refused) echo "framegov 未安装：$2" ;;
    unchanged) echo "未对手机做任何更改。" ;;
    other_cpu) echo "需要 64 位 ARM 手机；此手机为 $2。" ;;
    old_android) echo "需要 Android 10（API 29）或更高版本；此手机为 API $2。" ;;
    recovery) echo "请在 Android 运行时通过 root 管理器的应用安装；recovery 中无法检查手机。" ;;
    kept) echo "- 保留 $2 中您的设置" ;;
    unreadable) echo "! 此版本无法读取这些设置；改正后，framegov 将在下次重启后启动：" ;;
    settings) echo "- 设置：$2" ;;
    examining) echo "- 正在检查手机" ;;
    fit) echo "  framegov 可以调度这部手机" ;;
    zygisk_next) echo "  下次启动时 Zygisk 加载 framegov 后，将从应用内部获取帧（service.source: zygisk）" ;;
    lacking) echo "此手机缺少上面列出的内容。" ;;
    failed) echo "检查失败。请反馈上面的内容。" ;;
    reboot) echo "- 下次重启后启动" ;;
    running) echo "framegovd 正在运行（进程 $2）" ;;
    not_running) echo "framegovd 未运行" ;;
    log) echo "$2 的最后几行：" ;;
    no_log) echo "（无）" ;;
    last_words) echo "最后的输出：" ;;
    keep) echo "卸载模块时您的配置也会删除，除非存在文件 $2（可用 touch 创建）。" ;;
    keeping) echo "卸载模块时保留您的设置和配置：存在文件 $2。" ;;
    stays) echo "framegov：您的设置和配置保留在 $2" ;;
    limits_left) echo "framegov：有些限制尚未恢复；重启后恢复" ;;
    respawned) echo "framegov：有程序反复启动 framegovd（进程 $2）。" ;;
    respawned_stays) echo "framegov：它仍在运行，$2 保留。请移除启动它的程序，重启后删除该文件夹。" ;;
  esac
}
