<?php
spin(20); //> spin
if (!function_exists('from_file')) { //> function_exists
    function from_file() {
        return spin(20); //> spin
    }
}
