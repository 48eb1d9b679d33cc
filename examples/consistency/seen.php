<?php
// Reads what it wrote, with pdo_mysql built against a client library: seen.php HOST USER PASSWORD DATABASE
[, $host, $user, $password, $database] = $argv;
$pdo = new PDO("mysql:host=$host;dbname=$database", $user, $password, [PDO::ATTR_ERRMODE => PDO::ERRMODE_EXCEPTION]);

$pdo->exec("REPLACE INTO seen VALUES ('php', 'written by PHP')");
$sql = "SELECT v FROM seen WHERE k = 'php'";

// The default: a replica answers if it has the row, else the primary.
echo 'session: ', $pdo->query($sql)->fetchColumn(), "\n";
// What other programs have written counts, too: the primary answers.
echo 'strong: ', $pdo->query("/*ms=strong*/ $sql")->fetchColumn(), "\n";
// A list that may be old costs nothing.
echo 'report: ', $pdo->query('/*ms=eventual*/ SELECT COUNT(*) >= 0 FROM seen')->fetchColumn(), "\n";
